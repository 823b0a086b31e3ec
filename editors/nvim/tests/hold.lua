--- Tests of what has to hold whatever the daemon does: slow, stopped, killed, forbidden, and used by two editors.

local T = T
local buffers = require('clada.buffers')
local clada = require('clada')
local rpc = require('clada.rpc')
local H = T.helpers

rpc.delays = { retry = 50, slow = 300, stop = 300 }

--- A daemon that is none, behind a client that tells its socket. `answer(request, say)` is for all but `hello`, which
--- `greet(answer)` may hold back.
local function fake(answer, greet)
  local top = assert(vim.uv.fs_mkdtemp(T.top .. '/fake-XXXXXX'))
  local server, peers = assert(vim.uv.new_pipe(false)), {}
  local script = top .. '/client'
  T.write(script, ("#!/bin/sh\nprintf '%%s' '%s'\n"):format(vim.json.encode({ socket = top .. '/s', version = rpc.VERSION })))
  vim.uv.fs_chmod(script, 448)
  assert(server:bind(top .. '/s'))
  server:listen(8, function()
    local peer, held = assert(vim.uv.new_pipe(false)), ''
    server:accept(peer)
    table.insert(peers, peer)
    local function say(message)
      local text = vim.json.encode(vim.tbl_extend('force', { jsonrpc = '2.0' }, message))
      peer:write(('Content-Length: %d\r\n\r\n%s'):format(#text, text))
    end
    peer:read_start(function(_, chunk)
      held = held .. (chunk or '')
      while true do
        local _, head, length = held:find('Content%-Length: (%d+)\r\n\r\n')
        if not head or #held < head + length then
          return
        end
        local request = vim.json.decode(held:sub(head + 1, head + length))
        held = held:sub(head + length + 1)
        if request.method == 'hello' then
          (greet or function(hello) hello() end)(function()
            say({ id = request.id, result = { version = rpc.VERSION, features = rpc.FEATURES } })
          end)
        else
          answer(request, say, peer)
        end
      end
    end)
  end)
  rpc.stop(false)
  clada.setup({ client = script, daemon = 'clada-daemon-of-nobody' })
  return function()
    rpc.stop(false)
    for _, peer in ipairs(peers) do
      if not peer:is_closing() then
        peer:close()
      end
    end
    server:close()
  end
end

local PLAN = {
  planId = 'p1', expiresInMs = 1000, totalBlocks = 1, parseErrors = {}, approvals = {}, diff = '',
  actions = { { id = 'a1', seq = 1, task = '1', action = 'file_write', path = 'new.txt', hunks = {} } },
  files = { {
    path = 'new.txt', uri = 'file:///new.txt', kind = 'create', group = 'g1', parts = { 'a1' }, title = 'create new.txt', units = { 'g1' },
    hunks = { { id = 'h1', start = 0, removed = {}, added = { 'x\n' }, parts = { 'a1' }, group = 'g1', header = '@@ -0,0 +1,1 @@' } },
  } },
  review = { units = { { id = 'g1', key = '1', accepted = true } }, always = {}, notes = {}, failed = 0 },
}

T.test('a slow daemon holds nothing up, is told of, and can be stopped', function()
  local asked, cancelled = {}, {}
  local done = fake(function(request, say)
    asked[request.method] = request.id or true
    if request.method == 'plan' then
      say({ id = request.id, result = PLAN })
    elseif request.method == '$/cancelRequest' then
      table.insert(cancelled, request.params.id)
      say({ id = request.params.id, error = { code = -32800, message = 'cancelled' } })
    end
  end)
  local root = H.project({})
  H.apply(root, 'x')
  H.review()
  T.keys('ZZ')
  T.eq(asked.execute, nil, 'the key has returned before anything was sent')
  T.wait(function() return asked.execute end, 'execute')
  T.note('no answer to execute yet')
  T.eq(clada.status(), 'clada 1/1')
  T.keys('ZZ')
  T.keys('<C-c>')
  T.has(T.note('It was stopped'), ':Clada history')
  T.wait(function() return #cancelled > 0 end, 'the request to stop')
  T.eq(cancelled, { asked.execute })
  done()
end)

T.test('a daemon that dies under a request is told of, with what may be done', function()
  local done = fake(function(request, say, peer)
    if request.method == 'plan' then
      say({ id = request.id, result = PLAN })
    elseif request.method == 'execute' then
      peer:close()
    end
  end)
  local root = H.project({})
  H.apply(root, 'x')
  H.review()
  vim.cmd('write')
  T.has(T.note('has ended the connection'), ':Clada history')
  T.eq(vim.bo.filetype, 'clada-review', 'the review stays')
  T.eq(clada.status(), 'clada ↯')
  done()
end)

T.test('a daemon that goes while the connection is made is not waited for', function()
  local top = assert(vim.uv.fs_mkdtemp(T.top .. '/going-XXXXXX'))
  T.write(top .. '/client', ("#!/bin/sh\nprintf '%%s' '%s'\n"):format(
    vim.json.encode({ socket = top .. '/s', version = rpc.VERSION })))
  vim.uv.fs_chmod(top .. '/client', 448)
  local server = assert(vim.uv.new_pipe(false))
  assert(server:bind(top .. '/s'))
  -- It is there when it is looked for, and gone when it is spoken to.
  server:listen(8, function()
    local peer = assert(vim.uv.new_pipe(false))
    server:accept(peer)
    peer:close()
    server:close()
  end)
  rpc.stop(false)
  clada.setup({ client = top .. '/client', daemon = 'clada-daemon-of-nobody' })
  H.apply(H.project({}), 'x')
  T.note('The daemon has ended the connection')
  rpc.stop(false)
end)

T.test('a daemon that does not greet is given up by restart, and by nobody else', function()
  local done = fake(function() end, function() end)
  H.apply(H.project({}), 'x')
  T.note('no answer to plan yet')
  clada.restart()
  T.has(T.note('The connection was closed'), ':Clada history')
  T.note('the daemon does not answer')
  done()
end)

T.test('while a lost connection is made again, no second one is made', function()
  local hellos, lose = {}, nil
  local done = fake(function(request, say, peer)
    lose = function() peer:close() end
    say({ id = request.id, result = {} })
  end, function(hello)
    table.insert(hellos, hello)
    if #hellos == 1 then
      hello()
    end
  end)
  rpc.subscribe('/nowhere')
  H.call('status')
  lose()
  T.wait(function() return #hellos == 2 end, 'the attempt')
  local answered
  rpc.request('status', nil, function(err) answered = err or true end)
  vim.wait(50)
  T.eq({ #hellos, answered }, { 2 })
  hellos[2]()
  T.wait(function() return answered end, 'the answer')
  T.eq({ #hellos, answered }, { 2, true })
  done()
end)

--- Stops a process, and waits until each of its threads has stopped: until then they may still answer.
local function suspend(pid)
  vim.uv.kill(pid, 'sigstop')
  T.wait(function()
    local threads = vim.fn.glob(('/proc/%d/task/*/stat'):format(pid), true, true)
    if #threads == 0 then
      return vim.system({ 'ps', '-o', 'state=', '-p', tostring(pid) }, { text = true }):wait().stdout:find('T') ~= nil
    end
    return vim.iter(threads):all(function(path) return (T.read(path) or ''):find('%) [tT] ') ~= nil end)
  end, 'its stop')
end

T.test('a stopped daemon is told of, restart does not wait for it, and its answer still counts', function(finally)
  local root = H.project({ ['a.txt'] = 'one\n' })
  local pid = H.call('status').pid
  finally(function() vim.uv.kill(pid, 'sigcont') end)
  suspend(pid)
  H.apply(root, H.answer({ H.replace(root, 'a.txt', 'one', '1') }))
  T.note('no answer to plan yet')
  vim.uv.kill(pid, 'sigcont')
  H.review()
  suspend(pid)
  T.notes = {}
  clada.restart()
  T.note('the daemon does not answer')
  vim.uv.kill(pid, 'sigcont')
  -- It was asked to end, unless the connection was just being made; a call may be lost with it.
  local found
  for _ = 1, 100 do
    found = H.call('status') or found
    if found and found.pid ~= pid then
      break
    end
    vim.wait(20)
  end
  T.eq(type(found and found.pid), 'number')
end)

T.test('a daemon that somebody starts again is found without a command, with its subscriptions', function()
  local root = H.project({ ['a.txt'] = 'one\n' })
  -- A connection has at most 64 subscriptions, and the tests above have more roots.
  for at = 1, 20 do
    local name, roots = debug.getupvalue(rpc.subscribe, at)
    for other in pairs(name == 'subscribed' and roots or {}) do
      roots[other] = nil
    end
  end
  rpc.subscribe(root)
  local pid = H.call('status').pid
  local a = H.open(root .. '/a.txt')
  vim.uv.kill(pid, 'sigkill')
  T.wait(function() return not rpc.state().up end, 'the loss')
  -- An operation before the subscription has no event.
  local on_subscribed, is_subscribed = rpc.on.subscribed, false
  rpc.on.subscribed = function(other)
    is_subscribed = is_subscribed or other == root
    on_subscribed(other)
  end
  T.eq(H.client(root, { 'status' }).code, 0)
  T.wait(function() return is_subscribed end, 'the subscription')
  rpc.on.subscribed = on_subscribed
  T.eq(H.client(root, { 'apply', '--no-git' }, H.answer({ H.replace(root, 'a.txt', 'one', '1') })).code, 0)
  T.wait(function() return buffers.text(a) == '1\n' end, 'the event')
end)

T.test('where sockets are forbidden, the daemon is spoken to by its standard input', function()
  local root = H.project({ ['a.txt'] = 'one\n' })
  T.stop()
  local script = T.top .. '/forbidden'
  T.write(script, "#!/bin/sh\necho 'the daemon at /s cannot be reached: Operation not permitted (os error 1)' >&2\nexit 3\n")
  vim.uv.fs_chmod(script, 448)
  clada.setup({ client = script, daemon = vim.env.CLADA_DAEMON })
  H.apply(root, H.answer({ H.replace(root, 'a.txt', 'one', '1') }), { review = false })
  T.note('1 done')
  T.eq(H.tree(root), { ['a.txt'] = '1\n' })
  rpc.stop(false)
end)

--- Another editor, with the plugin and these files open.
local function editor(root, names)
  local child = vim.fn.jobstart({ vim.v.progpath, '--clean', '--embed', '--headless', '-n' }, { rpc = true, cwd = root })
  local function lua(code, ...)
    return vim.rpcrequest(child, 'nvim_exec_lua', code, { ... })
  end
  lua([[
    local plugin, root, names, client = ...
    vim.opt.runtimepath:prepend(plugin)
    vim.cmd('runtime plugin/clada.lua')
    notes, notify = {}, vim.notify
    vim.notify = function(message) table.insert(notes, message) end
    require('clada').setup({ client = client })
    for _, name in ipairs(names) do
      vim.cmd('silent edit ' .. root .. '/' .. name)
    end
    local rpc = require('clada.rpc')
    local told = rpc.on.subscribed
    rpc.on.subscribed = function(root)
      told(root)
      ready = true
    end
    rpc.request('status', nil, function() rpc.subscribe(root) end)
  ]], vim.fn.fnamemodify(T.here, ':p:h:h'), root, names, vim.env.CLADA_CLIENT)
  T.wait(function()
    return lua('return ready')
  end, 'its subscription')
  return lua, function() vim.fn.jobstop(child) end, child
end

T.test('two editors see what the other does, and neither reads a modified buffer anew', function()
  local files = { ['a.txt'] = 'one\n', ['b.txt'] = 'two\n', ['c.txt'] = 'three\n' }
  local root = H.project(files)
  local lua, close = editor(root, { 'a.txt', 'b.txt', 'c.txt' })
  local function theirs(name)
    return lua([[return require('clada.buffers').text(vim.fn.bufnr(...))]], root .. '/' .. name)
  end
  lua([[vim.fn.setbufline(vim.fn.bufnr(...), 1, 'theirs')]], root .. '/b.txt')
  local a, b, c = H.open(root .. '/a.txt'), H.open(root .. '/b.txt'), H.open(root .. '/c.txt')
  vim.api.nvim_buf_set_lines(c, 1, 1, false, { 'mine' })
  rpc.subscribe(root)
  -- Files that are in no buffer here are written by the daemon, which tells the other.
  vim.cmd('silent bwipeout ' .. a .. ' ' .. b)
  H.apply(root, H.answer({ H.replace(root, 'a.txt', 'one', '1'), H.replace(root, 'b.txt', 'two', '2') }), { review = false })
  T.note('2 done')
  T.wait(function() return theirs('a.txt') == '1\n' end, 'the event there')
  T.eq(theirs('b.txt'), 'theirs\n')
  a = H.open(root .. '/a.txt')
  lua([[vim.cmd('silent bwipeout ' .. vim.fn.bufnr(...))]], root .. '/a.txt')
  lua([[vim.cmd('silent bwipeout ' .. vim.fn.bufnr(...))]], root .. '/c.txt')
  lua([[local root, text = ... require('clada').apply({ root = root, text = text, review = false })]], root,
    H.answer({ H.replace(root, 'a.txt', '1', 'one'), H.replace(root, 'c.txt', 'three', '3') }))
  T.wait(function() return buffers.text(a) == 'one\n' end, 'the event here: ' .. vim.inspect(lua('return notes')))
  T.eq(buffers.text(c), 'three\nmine\n')
  T.eq(T.read(root .. '/c.txt'), '3\n')
  close()
end)

T.test('what an answer says is text in the list of failures, too', function()
  local nasty = 'a\27[2Jb\226\128\174c%{v:lua.evil()}%#Error#[x](command:y)'
  vim.o.statusline = "%f %{v:lua.require'clada'.status()}"
  require('clada.problems').show({ root = T.top }, {
    results = {}, operationId = '',
    outcome = { line = '0 done, 1 failed', complete = false, problems = { { severity = 'error', text = 'X: ' .. nasty, line = 1 } } },
  }, {})
  vim.cmd('redraw!')
  local cells = {}
  for row = 1, vim.o.lines do
    for column = 1, vim.o.columns do
      table.insert(cells, vim.fn.screenstring(row, column))
    end
  end
  T.has(table.concat(cells), 'X: a^[[2Jb<202e>c%{v:lua.evil()}%#Error#[x](command:y)')
end)
