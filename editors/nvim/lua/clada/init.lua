--- clada in Neovim: the functions behind `:Clada`, and what a configuration calls.

local config = require('clada.config')
local rpc = require('clada.rpc')

local M = {}

local tell, ask = rpc.tell, rpc.ask
local waiting = {} ---@type table<string, boolean> Ids of what waits for an approval.

--- Takes settings; see |clada-settings|.
---@param settings table?
function M.setup(settings)
  config.set(settings or {})
end

--- Returns the root of a path. Of a file that is in no project, as an answer that was saved elsewhere, it is that of
--- the working directory, if that is in one.
local function root_of(path)
  local found = ask('project.root', { path = path })
  if found and not found.marked then
    local _, here = rpc.call('project.root', { path = vim.fn.getcwd() })
    found = here and here.marked and here or found
  end
  return found and found.root
end

--- Runs `work(root, options)` in a coroutine, if there is a root: the one that is given, else that of this buffer.
local function in_root(options, work)
  options = options or {}
  local path, reason
  if not options.root then
    path, reason = require('clada.buffers').place(0)
    if not path then
      return tell(reason, vim.log.levels.ERROR)
    end
  end
  rpc.run(function()
    local given = options.root and vim.fs.normalize(vim.fn.fnamemodify(options.root, ':p')):gsub('(.)/$', '%1')
    local root = given or root_of(path)
    if root then
      rpc.subscribe(root)
      work(root, options)
    end
  end)
end

--- Opens a buffer of text that cannot be changed, in place of the one of this name, with a key to close it and those of
--- `keys`, which stand above it.
---@param keys table<string, {[1]: string, [2]: fun(line: integer)}>? What they do: words, and a function that is run.
local function show(name, text, syntax, keys)
  pcall(vim.api.nvim_buf_delete, vim.fn.bufnr('^clada://' .. name .. '$'), { force = true })
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  local bo = vim.bo[buffer]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.syntax, bo.modifiable = 'nofile', 'wipe', false, syntax or '', false
  pcall(vim.api.nvim_buf_set_name, buffer, 'clada://' .. name)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buffer, nowait = true, desc = 'clada: close' })
  vim.wo.winbar = 'q close'
  for key, does in vim.spairs(keys or {}) do
    vim.wo.winbar = ('%s · %s %s'):format(vim.wo.winbar, key, does[1])
    vim.keymap.set('n', key, function()
      rpc.run(does[2], vim.api.nvim_win_get_cursor(0)[1])
    end, { buffer = buffer, nowait = true, desc = 'clada: ' .. does[1] })
  end
  return buffer
end

local function lines_of(buffer, first, last)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, first - 1, last, false), '\n') .. '\n'
end

--- True if a parsed text shows a change, in whatever form.
local function is_answer(parsed)
  return parsed.summary.totalBlocks > 0 or #(parsed.proposals or {}) > 0 or #(parsed.notRead or {}) > 0
end

--- Chooses the answer: what is given, the clipboard if it shows changes, else the buffer.
local function answer_of(options, root, buffer)
  if options.text then
    return options.text, options.range and ('lines %d-%d'):format(unpack(options.range)) or 'the given text'
  end
  local register = require('clada.problems').register()
  local held = vim.F.npcall(vim.fn.getreg, register) or ''
  if options.paste then
    return held, 'register ' .. register
  end
  local parsed = held ~= '' and ask('parse', { text = held, root = root, dialects = options.dialect and { options.dialect } })
  if parsed == nil then
    return
  elseif parsed and is_answer(parsed) then
    return held, 'register ' .. register
  end
  if vim.bo[buffer].buftype == 'acwrite' then
    return tell(('there is no change in register %s, and this buffer is no answer'):format(register), vim.log.levels.WARN)
  end
  local notes = vim.tbl_map(function(issue)
    return ('register %s: %s'):format(register, require('clada.render').advice(issue.message))
  end, parsed and parsed.warnings or {})
  return lines_of(buffer, 1, -1), ('this buffer (no change in register %s)'):format(register), buffer, notes
end

--- Plans an answer and shows it for review, or applies it if that is asked for and nothing needs approval.
---@param options {text: string?, root: string?, range: integer[]?, paste: boolean?, review: boolean?, literal: boolean?, dialect: string?, to: (string|true)?}?
--- With `to`, code without a file name is for that file; `true`: for the one of this buffer.
function M.apply(options)
  options = vim.deepcopy(options or {})
  local here = vim.api.nvim_get_current_buf()
  if options.range and not options.text then
    options.text = lines_of(here, unpack(options.range))
  end
  if options.to then
    -- This buffer is the file, not the answer.
    options.to = vim.fn.fnamemodify(options.to == true and vim.api.nvim_buf_get_name(here) or options.to, ':p')
    options.paste = not options.text
  end
  in_root(options, function(root, given)
    local text, source, buffer, notes = answer_of(given, root, here)
    if not text then
      return
    elseif vim.trim(text) == '' then
      return tell(source .. ' is empty', vim.log.levels.WARN)
    end
    local wanted = vim.F.if_nil(given.review, config.review)
    require('clada.flow').start({
      root = root, text = text, source = source, buffer = buffer, literal = given.literal, review = wanted,
      dialects = given.dialect and { given.dialect }, to = given.to, notes = notes,
    })
  end)
end

--- The same with the clipboard, whatever it holds.
function M.paste(options)
  M.apply(vim.tbl_extend('force', options or {}, { paste = true }))
end

--- Shows the review that was left.
function M.review(options)
  local review = require('clada.review').get(options and options.root)
  if not review then
    return tell('there is nothing to review')
  end
  require('clada.review').show(review)
end

--- Draws the hunks of the review in the buffers of their files, or takes them away.
function M.inline(options)
  local review, inline = require('clada.review').get(options and options.root), require('clada.inline')
  if not review then
    return tell('there is nothing to review')
  elseif inline.is_shown(review) then
    return inline.clear(review)
  end
  inline.show(review)
end

--- Accepts the hunk of the cursor in the buffer of its file, or leaves it out; goes to the next one, or the one before.
function M.accept() require('clada.inline').decide(true) end
function M.reject() require('clada.inline').decide(false) end
function M.next() require('clada.inline').go(1) end
function M.prev() require('clada.inline').go(-1) end

--- Undoes the last answer that this editor applied, or what is named.
---@param options {operation: string?, merge: boolean?, force: boolean?, root: string?}?
function M.undo(options)
  in_root(options, function(root, given)
    require('clada.flow').undo('undo', root, given.operation, { merge = given.merge, force = given.force })
  end)
end

--- Does again what was undone last.
function M.redo(options)
  in_root(options, function(root, given)
    require('clada.flow').undo('redo', root, given.operation)
  end)
end

--- Lists what was done in the project; <CR> shows an operation, u undoes it.
function M.history(options)
  in_root(options, function(root)
    local list = ask('history.list', { root = root, limit = 100 })
    if not list then
      return
    end
    local lines = vim.tbl_map(function(operation)
      local function id(full)
        return (list.shortIds or {})[full] or full
      end
      return ('%-4s  %s  %s%s%s'):format(id(operation.operationId),
        os.date('%Y-%m-%d %H:%M', math.floor(operation.beganMs / 1000)),
        operation.undoes and ('takes back %s: '):format(id(operation.undoes)) or '',
        operation.summary:gsub('\n', ' '), operation.undoneBy and '  (undone)' or '')
    end, list.operations)
    show('history', #lines > 0 and table.concat(lines, '\n') or 'clada has written no file here yet; what it did to open buffers is undone by :Clada undo', nil, {
      ['<CR>'] = { 'show what it changed', function(line)
        local id = (list.operations[line] or {}).operationId
        local shown = id and ask('history.show', { root = root, operation = id, diff = true })
        if shown then
          show('operation/' .. id, shown.diff or 'it changed no text', 'diff')
        end
      end },
      u = { 'undo it', function(line)
        if list.operations[line] then
          require('clada.flow').undo('undo', root, list.operations[line].operationId)
          M.history({ root = root })
        end
      end },
    })
  end)
end

--- Shows the report of the last answer; `copy`: the one for the model, of what is reviewed if something is, is copied.
function M.report(options)
  local problems, review = require('clada.problems'), require('clada.review').get(options and options.root)
  local reports = problems.reports or {}
  if options and options.copy then
    return rpc.run(function()
      local text = not review and reports.llm or review and require('clada.flow').report(review.flow)
      tell(text and 'the report for the model is in register ' .. problems.copy(text) or 'there is no report')
    end)
  elseif not reports.text then
    return tell('nothing was applied yet')
  end
  show('report', reports.text)
end

--- Makes one document for a prompt of files, folders, a selection or the session's context, in the clipboard.
---@param options {paths: string[]?, range: integer[]?, root: string?, context: boolean?}?
function M.embed(options)
  local paths, context = (options or {}).paths or {}, (options or {}).context
  if #paths == 0 and not context then
    local name = vim.api.nvim_buf_get_name(0)
    if name == '' then
      return tell('this buffer has no file', vim.log.levels.WARN)
    end
    paths = { options and options.range and ('%s:%d-%d'):format(name, unpack(options.range)) or name }
  end
  in_root(options, function(root)
    local buffers = require('clada.buffers')
    local result = ask('embed', {
      root = root, paths = paths, sessionContext = context, tokens = true, overlays = buffers.overlays(buffers.documents(root)),
    })
    if result and result.document then
      local register = require('clada.problems').copy(result.document)
      tell(('%s, %d tokens, in register %s'):format(rpc.plural(#result.files, 'file'), result.tokens or 0, register))
    elseif result then
      tell((result.errors[1] or {}).message or 'nothing could be embedded', vim.log.levels.WARN)
    end
  end)
end

--- Changes or lists the context of the project's session: `add`, `remove`, `list`, `prune`, `clear`.
---@param options {what: string?, paths: string[]?, root: string?}?
function M.context(options)
  local name = vim.api.nvim_buf_get_name(0)
  in_root(options, function(root, given)
    local what, paths = given.what or 'list', nil
    if what == 'add' or what == 'remove' then
      paths = #(given.paths or {}) > 0 and given.paths or { name }
    end
    local result = ask('context.' .. what, { root = root, paths = paths })
    if result then
      local names = vim.tbl_map(function(entry)
        return vim.fn.fnamemodify(entry.path, ':.')
      end, result.context)
      tell(('%d in the context%s'):format(#names, #names > 0 and ': ' .. table.concat(names, ', ') or ''))
    end
  end)
end

--- Stages what changed, under flat names in a folder.
function M.stage(options)
  in_root(options, function(root)
    local result = ask('stage', { root = root })
    if result then
      local buffers = require('clada.buffers')
      local open = buffers.modified(buffers.documents(root))
      tell(('%s in %s%s'):format(rpc.plural(#result.copied, 'file'), result.stagingDir or '(none)',
        #open > 0 and ('; what is not saved is not in it (%s)'):format(rpc.plural(#open, 'buffer')) or ''))
    end
  end)
end

local clocks = {}

--- Lists the files that changed since it was called last, in the quickfix list.
function M.changes(options)
  in_root(options, function(root)
    local since = clocks[root]
    local result = ask('project.changes', { root = root, since = since })
    if not result then
      return
    end
    clocks[root] = result.clock
    if not since then
      return tell('from here on `:Clada changes` lists what changes')
    end
    local items = vim.tbl_map(function(file)
      return { filename = root .. '/' .. file.path, text = file.kind, lnum = 1 }
    end, result.files)
    vim.fn.setqflist({}, ' ', { title = 'clada changes', items = items })
    tell(#items == 0 and 'nothing has changed' or rpc.plural(#items, 'changed file') .. '; see :copen')
  end)
end

--- Shows what waits for an approval, in the daemon's words; `o` approves it once, `n` says no.
---@param options {root: string?, told: boolean?}? `told`: if nothing waits, that is not said.
function M.approve(options)
  options = options or {}
  rpc.run(function()
    local list = ask('approval.list', { root = options.root })
    if not list then
      return
    end
    waiting = {}
    if #list.approvals == 0 then
      pcall(vim.api.nvim_buf_delete, vim.fn.bufnr('^clada://approvals$'), { force = true })
      return options.told or tell('nothing waits for an approval')
    end
    local lines, ids = {}, {}
    local function add(id, text)
      for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
        table.insert(lines, line)
        ids[#lines] = id
      end
    end
    for _, entry in ipairs(list.approvals) do
      waiting[entry.id] = true
      add(entry.id, ('@@ %s asks in %s @@'):format(entry.client or 'an agent', entry.root))
      add(entry.id, entry.text)
      add(entry.id, entry.diff)
    end
    local function answer(decision)
      return function(line)
        local result = ask('approval.answer', { id = ids[line], decision = decision })
        if result then
          tell(result.message or (result.askedAgain and 'it is another plan by now, look at it again')
            or 'answered: ' .. decision)
          M.approve({ root = options.root, told = true })
        end
      end
    end
    local buffer = show('approvals', table.concat(lines, '\n'), 'diff', {
      o = { 'approve once what the cursor is on', answer('once') }, n = { 'say no', answer('no') },
    })
    vim.bo[buffer].filetype = 'clada-approvals'
    vim.bo[buffer].syntax = 'diff'
  end)
end

--- Says how the daemon is.
function M.daemon_status()
  rpc.run(function()
    local status = ask('status')
    if status then
      tell(('daemon %s, pid %s, up %d min, %s, sandbox %s%s'):format(status.version, status.pid or '?',
        math.floor(status.uptimeMs / 60000), rpc.plural(#status.projects, 'project'), status.sandbox or 'not tried yet',
        #status.warnings > 0 and '\n' .. table.concat(status.warnings, '\n') or ''))
    end
  end)
end

--- Opens the daemon's log.
function M.log()
  rpc.run(function()
    local status = ask('status')
    if status and status.logFile then
      vim.cmd('botright sview + ' .. vim.fn.fnameescape(status.logFile))
    elseif status then
      tell('the daemon has no log')
    end
  end)
end

--- Ends the daemon and connects to a new one.
function M.restart()
  local pid = rpc.state().pid
  rpc.stop(true, function(answered)
    if not answered then
      return tell(('the daemon does not answer: end its process (%s), then go on'):format(
        pid and 'kill -9 ' .. pid or 'of clada-daemon'), vim.log.levels.ERROR)
    end
    vim.defer_fn(M.daemon_status, 200)
  end)
end

--- The state for a status line: nothing, what a review has accepted, what waits, or no daemon. Never blocks.
function M.status()
  local state = rpc.state()
  if next(waiting) then
    return 'clada !' .. vim.tbl_count(waiting)
  elseif state.used and not state.up then
    return 'clada ↯'
  end
  return package.loaded['clada.review'] and require('clada.review').status() or ''
end

--- Raises one notice for what an agent waits for: the daemon's text, with the exact command. It takes no key.
local function asked(event)
  if event.approvalId then
    waiting[event.approvalId] = true
    if config.notices then
      tell(('an agent asks in %s\n%s\n`:Clada approve` shows it and answers'):format(
        vim.fn.fnamemodify(event.root, ':~'), vim.trim(event.text or '')), vim.log.levels.WARN)
    end
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'CladaApproval', data = event, modeline = false })
end

rpc.on['event'] = function(event)
  if event.kind == 'approvalAsked' then
    asked(event)
  elseif event.kind == 'approvalAnswered' then
    waiting[event.approvalId or ''] = nil
  elseif event.kind == 'executed' or event.kind == 'undone' then
    require('clada.flow').on_event(event)
  end
end

--- What has waited since before the subscription raises no event any more.
rpc.on.subscribed = function(root)
  rpc.request('approval.list', { root = root }, function(err, list)
    for _, entry in ipairs(err and {} or list.approvals) do
      if not waiting[entry.id] then
        asked({ approvalId = entry.id, root = entry.root, approvals = entry.approvals, text = entry.text })
      end
    end
  end)
end

rpc.on['execute.event'] = function(event)
  rpc.answered('execute')
  if event.kind == 'started' then
    tell(('task %s runs; <C-c> in the review stops it'):format(event.task))
  end
end

rpc.on['waiting'] = function()
  rpc.answered('execute')
  tell('waiting for another operation in the project')
end

--- What `:Clada` knows: the function of each command, and how its words become options.
---@type table<string, {run: function, words: string[]?, files: boolean?}>
local COMMANDS = {
  apply = { run = M.apply, words = { '--literal', '--dialect=', '--to', '--to=' } },
  paste = { run = M.paste, words = { '--literal', '--dialect=', '--to', '--to=' } },
  review = { run = M.review },
  inline = { run = M.inline },
  accept = { run = M.accept },
  reject = { run = M.reject },
  next = { run = M.next },
  prev = { run = M.prev },
  undo = { run = M.undo, words = { '--merge', '--force' } },
  redo = { run = M.redo },
  history = { run = M.history },
  report = { run = M.report },
  embed = { run = M.embed, files = true, words = { '--context' } },
  context = { run = M.context, words = { 'add', 'remove', 'list', 'prune', 'clear' }, files = true },
  stage = { run = M.stage },
  changes = { run = M.changes },
  approve = { run = M.approve },
  status = { run = M.daemon_status },
  log = { run = M.log },
  restart = { run = M.restart },
}

--- Runs `:Clada`.
function M.command(args)
  local name, bang = (args.fargs[1] or 'apply'):match('^(%l+)(!?)$')
  local command = COMMANDS[name or '']
  if not command then
    return tell(('%s is no command; there are %s'):format(args.fargs[1],
      table.concat(vim.fn.sort(vim.tbl_keys(COMMANDS)), ', ')), vim.log.levels.ERROR)
  end
  local options = { range = args.range > 0 and { args.line1, args.line2 } or nil, paths = {} }
  if bang == '!' or args.bang then
    options.review, options.copy = false, true
  end
  for index, word in ipairs(vim.list_slice(args.fargs, 2)) do
    local key, value = word:match('^%-%-(%a+)=(.+)$')
    if vim.startswith(word, '--') and vim.tbl_contains(command.words or {}, word) then
      options[word:sub(3)] = true
    elseif key and vim.tbl_contains(command.words or {}, ('--%s='):format(key)) then
      options[key] = value
    elseif name == 'context' and index == 1 and vim.tbl_contains(command.words, word) then
      options.what = word
    elseif command.files and (name == 'embed' or options.what) then
      for _, path in ipairs(vim.fn.expand(word, false, true)) do
        table.insert(options.paths, vim.fn.fnamemodify(path, ':p'))
      end
    elseif (name == 'undo' or name == 'redo') and not vim.startswith(word, '--') then
      options.operation = word
    else
      return tell(('%s does not take %s%s'):format(name, word,
        command.words and '; it takes ' .. table.concat(command.words, ', ') or ''), vim.log.levels.ERROR)
    end
  end
  command.run(options)
end

--- Completes `:Clada`.
function M.complete(lead, line)
  local before = vim.split(line:sub(1, #line - #lead), '%s+', { trimempty = true })
  local command = before[2] and (COMMANDS[before[2]:gsub('!$', '')] or {})
  local candidates = command and command.words or {}
  if not command then
    candidates = vim.fn.sort(vim.tbl_keys(COMMANDS))
    table.insert(candidates, 2, 'apply!')
  elseif command.files and not vim.startswith(lead, '-') and (before[2] ~= 'context' or #before > 2) then
    return vim.fn.getcompletion(lead, 'file')
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
