// The page is …/api/v1/docs, so the document is its neighbour, wherever it is mounted.
SwaggerUIBundle({
  url: new URL("openapi.json", window.location.href).href,
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  validatorUrl: null,
});
