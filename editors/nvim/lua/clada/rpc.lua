--- The connection to the daemon: one for this editor, made with the first request.
---
--- Knows how the daemon is found, started and spoken to. It must not know what any method does. Everything here is
--- asynchronous; `call` suspends the coroutine that `run` has begun.

local M = {}

--- Version of this plugin, which has the daemon's.
M.VERSION = '0.1.0'

--- Features of the daemon that this plugin cannot do without.
M.FEATURES = { 'framing.headers', 'plan.files', 'plan.rest', 'plan.omit', 'plan.reports', 'plan.context', 'overlays.uri',
  'edits.lines', 'edits.mixed', 'embed.overlays', 'reports', 'places', 'approval.answer', 'approval.text', 'project.root',
  'events.moves', 'execute.saved', 'plan.edited', 'text.merge',
  'review' }

local KINDS = { 'executed', 'undone', 'approvalAsked', 'approvalAnswered', 'staged' }
local CANCELLED = {
  code = -32800,
  message = 'It was stopped.',
  data = { kind = 'cancelled', hint = 'What was done until then is in `:Clada history`.' },
}

---@class clada.Connection
---@field rpc vim.lsp.rpc.PublicClient
---@field hello clada.HelloResult?
---@field pending table<integer, function> What waits for an answer, by the ids of requests.

local connection ---@type clada.Connection? The one that has been greeted.
local greeted ---@type clada.Connection? The one that is being greeted.
local waiters ---@type function[]? Called when the attempt to connect that runs has ended.
local may_start ---@type boolean? True if that attempt may start a daemon.
local subscribed = {} ---@type table<string, boolean> Roots; true: this connection has asked for it.
local found = {} ---@type {socket: string?, version: string?, fresh: boolean?, pid: integer?}
local heard = {} ---@type table<string, boolean> Methods whose request the daemon is at.
--- Milliseconds until a lost connection is made anew, a slow answer is told of, and a daemon is given up that is to end.
M.delays = { retry = 1000, slow = 3000, stop = 2000 }
local retry = 1 -- What the first of them is multiplied by.
local stopped = false

--- Receives notifications by their method; set by those that want them.
M.on = {} ---@type table<string, fun(params: table)>

local function failure(message, hint, kind)
  return { message = message, data = { kind = kind or 'no_daemon', hint = hint } }
end

function M.plural(count, word)
  return ('%d %s%s'):format(count, word, count == 1 and '' or 's')
end

local builtin_notify = debug.getinfo(vim.notify, 'S').source

--- Shows lines above the line of messages until the cursor moves. It takes no key.
function M.float(lines, title)
  local buffer, room = vim.api.nvim_create_buf(false, true), vim.o.lines - vim.o.cmdheight
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].bufhidden = 'wipe'
  local width = math.max(1, vim.fn.max(vim.tbl_map(vim.fn.strdisplaywidth, lines)))
  local window = vim.api.nvim_open_win(buffer, false, {
    relative = 'editor', anchor = 'SW', row = room, col = 0, width = math.min(width, vim.o.columns - 2), height = 1,
    style = 'minimal', border = 'single', title = title, focusable = false,
  })
  vim.wo[window].wrap = true
  vim.api.nvim_win_set_height(window, math.max(1, math.min(vim.api.nvim_win_text_height(window, {}).all, room - 2)))
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'WinClosed' }, {
    once = true,
    callback = function() pcall(vim.api.nvim_win_close, window, true) end,
  })
end

--- Tells something. What does not fit into the line of messages is shown above it until the cursor moves, since
--- Neovim would wait for a key otherwise.
function M.tell(message, level)
  message = 'clada: ' .. message
  local line = message:match('^[^\n]*')
  local is_whole = #line == #message and vim.fn.strdisplaywidth(line) <= vim.v.echospace
  local is_builtin = debug.getinfo(vim.notify, 'S').source == builtin_notify and #vim.api.nvim_list_uis() > 0
  if is_builtin then
    -- Else it would be a second line below the message before, and Neovim would wait for a key.
    vim.cmd.redraw()
  end
  if is_whole or not is_builtin then
    return vim.notify(message, level or vim.log.levels.INFO)
  end
  vim.notify(vim.fn.strcharpart(line, 0, math.max(vim.v.echospace - 2, 1)) .. '…', level or vim.log.levels.INFO)
  -- A window that was closed before has its events first, which would end it.
  vim.defer_fn(function()
    pcall(M.float, vim.split(message, '\n'))
  end, 20)
end

local function resume(thread, ...)
  local ok, message = coroutine.resume(thread, ...)
  if not ok then
    M.tell(debug.traceback(thread, tostring(message)), vim.log.levels.ERROR)
  end
end

--- Runs `work` as a coroutine, so that it can `call`. An error in it is shown.
function M.run(work, ...)
  resume(coroutine.create(work), ...)
end

--- Lets the editor do what it has to do, in a coroutine that `run` has begun; elsewhere that cannot be.
function M.pause()
  local thread = coroutine.running()
  if thread then
    vim.defer_fn(function()
      resume(thread)
    end, 0)
    coroutine.yield()
  end
end

--- Returns the absolute path of a program of clada's, or nothing. Never one by a relative path.
function M.program(name)
  local path = (name:sub(1, 1) == '/' or not name:find('/')) and vim.fn.exepath(name) or ''
  return path:sub(1, 1) == '/' and path or nil
end

--- Gives up a connection that has ended.
local function lost(link, reason)
  for id, answer in pairs(link.pending) do
    link.pending[id] = nil
    answer(failure(reason, 'What was under way may be done: see `:Clada history`.'))
  end
  if connection == link then
    connection = nil
    for root in pairs(subscribed) do
      subscribed[root] = false
    end
    if next(subscribed) and not stopped then
      vim.defer_fn(M.reconnect, retry * M.delays.retry)
    end
  end
end

--- Makes a connection by one of Neovim's two ways.
local function open(start)
  local link = { pending = {} } ---@type clada.Connection
  link.rpc = start({
    notification = function(method, params)
      if M.on[method] then
        M.on[method](params or {})
      end
    end,
    on_exit = vim.schedule_wrap(function()
      lost(link, 'The daemon has ended the connection.')
    end),
    on_error = function(code, message)
      if code == vim.lsp.rpc.client_errors.READ_ERROR then
        link.rpc.terminate()
      elseif code == vim.lsp.rpc.client_errors.SERVER_RESULT_CALLBACK_ERROR then
        M.tell(tostring(message), vim.log.levels.ERROR)
      end
    end,
  })
  return link
end

--- Sends a request. `answer` is called once, also if it is cancelled or the connection is lost.
local function send(link, method, params, answer)
  local id, sent
  local function once(err, result)
    if link.pending[id] then
      link.pending[id] = nil
      answer(err, result)
    end
  end
  -- Neovim drops the answer of a cancelled request; only the second callback is told of it.
  sent, id = link.rpc.request(method, params or vim.empty_dict(), once, function()
    vim.schedule(function()
      once(CANCELLED)
    end)
  end)
  if not sent then
    return answer(failure('The daemon has ended the connection.'))
  end
  link.pending[id] = answer
  return id
end

local function version_error(version, missing)
  return failure(
    ('clada.nvim %s needs a newer daemon than %s: it lacks %s.'):format(M.VERSION, version, missing),
    'Update clada, then `:Clada restart`.',
    'not_available'
  )
end

--- Greets the daemon and checks that it can do what is needed.
local function greet(link, done)
  local editor = ('nvim %s clada %s'):format(tostring(vim.version()), M.VERSION)
  greeted = link
  send(link, 'hello', { client = editor, protocol = { 1, 1 }, features = { 'plain' } }, function(err, hello)
    greeted = nil
    if err then
      -- A daemon from before headers takes the first line of them for a broken message, and hangs up. So does one
      -- that is being killed, which the client finds out first.
      if err.data and err.data.kind == 'no_daemon' and found.fresh then
        err = version_error(found.version, 'framing.headers')
      end
      return done(err)
    end
    local missing = vim.tbl_filter(function(feature)
      return not vim.tbl_contains(hello.features, feature)
    end, M.FEATURES)
    if #missing > 0 then
      link.rpc.terminate()
      return done(version_error(hello.version, table.concat(missing, ', ')))
    end
    connection, link.hello = link, hello
    found.version, retry = hello.version, 1
    done(nil)
    for root in pairs(subscribed) do
      M.subscribe(root)
    end
  end)
end

--- Finds out whether something listens on the socket: Neovim's client does not tell.
local function probe(socket, done)
  local pipe = assert(vim.uv.new_pipe(false))
  local ok, message = pcall(pipe.connect, pipe, socket, function(err)
    pipe:close()
    vim.schedule(function()
      done(err)
    end)
  end)
  if not ok then
    done(message)
  end
end

--- True if an error says that sockets are not for this editor, as in some sandboxes.
local function is_forbidden(message)
  return vim.iter({ 'EPERM', 'EACCES', 'os error 1)', 'os error 13)' }):any(function(part)
    return message:find(part, 1, true) ~= nil
  end)
end

--- Speaks to a daemon of this editor alone, by its standard input and output, if an error says that sockets are
--- forbidden; returns whether it does.
local function serve(message, done)
  local daemon = is_forbidden(message) and M.program(require('clada.config').daemon)
  if daemon then
    greet(open(function(dispatchers)
      return vim.lsp.rpc.start({ daemon, 'serve', '--stdio' }, dispatchers)
    end), done)
  end
  return daemon
end

--- Gives up a connection that has not been greeted when nothing listens any more: Neovim does not tell that it could not
--- be made, as to a daemon that is just being killed.
local function watch(link)
  vim.defer_fn(function()
    if greeted ~= link or not found.socket then
      return
    end
    probe(found.socket, function(err)
      if greeted ~= link then
        return
      elseif err then
        found.fresh = false
        link.rpc.terminate()
        return lost(link, 'The daemon has ended the connection.')
      end
      watch(link)
    end)
  end, M.delays.retry)
end

local function dial(done)
  if not found.socket then
    return done(failure('No daemon is known yet.'))
  end
  probe(found.socket, function(err)
    if not err then
      local link = open(vim.lsp.rpc.connect(found.socket))
      greet(link, done)
      watch(link)
    elseif not serve(err, done) then
      done(failure(('Nothing answers on %s (%s).'):format(found.socket, err), 'Try `:checkhealth clada`.'))
    end
  end)
end

--- Asks the client for the daemon, which starts one if there is none.
local function find(done)
  local client = M.program(require('clada.config').client)
  if not client then
    return done(failure('clada-client was not found.', 'Install clada, or name it: setup{ client = "/path" }.'))
  end
  local ok, message = pcall(vim.system, { client, 'status', '--json' }, { text = true }, function(ran)
    vim.schedule(function()
      local read, status = pcall(vim.json.decode, ran.stdout or '')
      if ran.code ~= 0 or not read then
        local why = vim.trim(ran.stderr or '')
        return serve(why, done)
          or done(failure(why ~= '' and why or 'clada-client status has failed.', 'Try `:checkhealth clada`.'))
      end
      found.socket, found.version, found.fresh, found.pid = status.socket, status.version, true, status.pid
      if not found.socket then
        return done(version_error(status.version, 'the socket in its status'))
      end
      dial(function(err)
        found.fresh = false
        done(err)
      end)
    end)
  end)
  if not ok then
    done(failure(tostring(message), 'Try `:checkhealth clada`.'))
  end
end

--- Calls `done(err)` when there is a connection, or cannot be one. One attempt runs at a time; it starts a daemon if
--- there is none and not all who wait are `patient`.
function M.connect(done, patient)
  if connection and not connection.rpc.is_closing() then
    return done(nil)
  end
  may_start = may_start or not patient
  if waiters then
    return table.insert(waiters, done)
  end
  waiters, stopped = { done }, false
  local function ended(err)
    local all = waiters or {}
    waiters, may_start = nil, nil
    for _, waiter in ipairs(all) do
      waiter(err)
    end
  end
  dial(function(err)
    if err and err.data.kind == 'no_daemon' and may_start then
      return find(ended)
    end
    ended(err)
  end)
end

--- Connects again, for the subscriptions; it never starts a daemon that somebody has ended.
function M.reconnect()
  if connection or stopped then
    return
  end
  M.connect(function(err)
    if err then
      retry = math.min(retry * 2, 60)
      vim.defer_fn(M.reconnect, retry * M.delays.retry)
    end
  end, true)
end

--- Notes that the daemon is at work on a request of a method, so that nobody is told that it does not answer.
function M.answered(method)
  heard[method] = true
end

--- Sends a request and calls `answer(err, result)`. Returns a function that cancels it.
function M.request(method, params, answer)
  local id, link, over
  heard[method] = nil
  local slow = vim.defer_fn(function()
    if not over and not heard[method] then
      M.tell(('no answer to %s yet; `:Clada restart` gives it up'):format(method))
    end
  end, M.delays.slow)
  local function finish(err, result)
    over = true
    if not slow:is_closing() then
      slow:close()
    end
    answer(err, result)
  end
  M.connect(function(err)
    if err then
      return finish(err)
    elseif over == 'cancelled' then
      return finish(CANCELLED)
    end
    link = connection
    id = send(link, method, params, finish)
  end)
  return function()
    if id then
      link.rpc.notify('$/cancelRequest', { id = id })
    elseif not over then
      over = 'cancelled'
    end
  end
end

--- The same in a coroutine: returns error and result. `started` is given the function that cancels it.
function M.call(method, params, started)
  local thread = assert(coroutine.running(), 'clada: not in a coroutine')
  local cancel = M.request(method, params, vim.schedule_wrap(function(...)
    resume(thread, ...)
  end))
  if started then
    started(cancel)
  end
  return coroutine.yield()
end

--- Calls a method; shows its error and returns nothing then.
function M.ask(method, params)
  local err, result = M.call(method, params)
  if err then
    M.tell_error(err)
  end
  return result
end

function M.tell_error(err)
  local hint = err.data and err.data.hint
  M.tell(err.message .. (hint and '\n' .. hint or ''), vim.log.levels.ERROR)
end

--- Subscribes to the operations of a root, once. A subscription outlives connections.
function M.subscribe(root)
  if connection and not subscribed[root] then
    subscribed[root] = true
    -- Without it the editor only learns later what others did.
    send(connection, 'subscribe', { root = root, kinds = KINDS }, function(err)
      if err then
        -- One that was under way as the connection was lost is asked for again with the next.
        subscribed[root] = nil
        if err.data and err.data.kind == 'no_daemon' then
          subscribed[root] = false
        end
      end
      if not err and M.on.subscribed then
        M.on.subscribed(root)
      end
    end)
  end
  subscribed[root] = subscribed[root] or false
end

--- Ends the connection, also one that is being made; with `shutdown` the daemon, too. The next request looks for one
--- anew. `done` is told whether the daemon has answered, for which it has two seconds.
function M.stop(shutdown, done)
  local link, over = connection or greeted, false
  stopped, retry, found = true, 1, {}
  local function finish(err)
    if over then
      return
    end
    over = true
    if link then
      lost(link, 'The connection was closed.')
      link.rpc.terminate()
    end
    if done then
      done(err == nil)
    end
  end
  if not (shutdown and link) then
    return finish()
  elseif link == greeted then
    return finish('late')
  end
  send(link, 'shutdown', nil, function() finish() end)
  vim.defer_fn(function() finish('late') end, M.delays.stop)
end

--- The state for the status line and `:checkhealth`; never blocks.
function M.state()
  local up = connection ~= nil and not connection.rpc.is_closing()
  return { up = up, used = found.socket ~= nil, socket = found.socket, pid = found.pid, hello = up and connection.hello or nil }
end

return M
