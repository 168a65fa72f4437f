// Reads messages, one JSON a line: { secret, headers, body }, the body in base64. Tells
// for each whether the library takes it for good: one line of 1 and 0.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const isGood = ({ secret, headers, body }) => {
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64"), headers);
    return "1";
  } catch {
    return "0";
  }
};
const lines = readFileSync(process.argv[2], "utf8").trimEnd().split("\n");
console.log(lines.map((line) => isGood(JSON.parse(line))).join(""));
