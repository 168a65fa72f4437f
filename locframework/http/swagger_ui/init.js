// The page is …/api/v1/docs, so the document is its neighbour, wherever it is mounted.
SwaggerUIBundle({
  url: new URL("openapi.json", window.location.href).href,
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  showExtensions: true, // x-permission: what a caller needs
  validatorUrl: null,
});
