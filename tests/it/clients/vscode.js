// vscode-jsonrpc as its users have it: a request, a notification, a request that is cancelled.
// argv: the folder of vscode-jsonrpc, the socket, the project.
const { createRequire } = require("node:module");
const net = require("node:net");
const rpc = createRequire(process.argv[2] + "/")("vscode-jsonrpc/node");

const socket = net.connect(process.argv[3], async () => {
  const reader = new rpc.StreamMessageReader(socket);
  const connection = rpc.createMessageConnection(reader, new rpc.StreamMessageWriter(socket));
  connection.listen();
  const status = await connection.sendRequest("status", {});
  await connection.sendNotification("status", {});
  const source = new rpc.CancellationTokenSource();
  const asked = connection.sendRequest("execute", { root: process.argv[4], text: process.argv[5] }, source.token);
  connection.onNotification("waiting", () => source.cancel());
  const code = await asked.then(() => "done", (error) => error.code);
  console.log(JSON.stringify({ pid: status.pid, code }));
  connection.dispose();
  socket.end();
});
