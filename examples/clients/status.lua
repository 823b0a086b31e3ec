-- The daemon's state, by the client for language servers that is part of Neovim. arg[1]: the socket.
-- nvim --clean -l status.lua /run/user/1000/clada/v1.sock
local connect = vim.lsp.rpc.connect(arg[1])
local client = connect({
  -- Events come here: method, params.
  notification = function() end,
  on_exit = function() end,
  on_error = function(code, err) error(code .. ": " .. vim.inspect(err)) end,
})
local answer
-- An empty table is encoded as an empty array, which is no parameters.
client.request('status', {}, function(err, result) answer = { err = err, result = result } end)
vim.wait(30000, function() return answer ~= nil end, 10)
assert(answer and not answer.err, vim.inspect(answer))
io.stdout:write(vim.json.encode(answer.result), '\n')
client.terminate()
