// The daemon's state, by node's own http. argv[2]: the socket.
import http from "node:http";

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "status", params: {} });
const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
// `Host` is localhost by itself where a socket is given.
const request = http.request({ socketPath: process.argv[2], path: "/rpc", method: "POST", headers });
request.on("response", async (response) => {
  let text = "";
  for await (const piece of response) text += piece;
  const answer = JSON.parse(text);
  if (answer.error) throw new Error(answer.error.message);
  console.log(JSON.stringify(answer.result));
});
request.end(body);
