--- The way of an answer: plan, review, apply, tell; and back again.
---
--- The daemon decides what is shown and what is safe. Nothing here is applied to a buffer that changed since the plan.

local buffers = require('clada.buffers')
local config = require('clada.config')
local model_of = require('clada.model')
local problems = require('clada.problems')
local render = require('clada.render')
local review = require('clada.review')
local rpc = require('clada.rpc')

local M = {}

local KEPT = 20

---@class clada.Flow
---@field root string
---@field text string The answer.
---@field source string Where it was taken from.
---@field buffer integer? The buffer that it was taken from, for the places of its faults.
---@field review boolean
---@field literal boolean?
---@field notes string[]? What is to be said of the clipboard if there is nothing to do.
---@field to string? The file that code without a name is for.
---@field dialects string[]? Those that it is read by; all that are enabled if there is none.
---@field disk boolean? True if the daemon writes everything, since the buffers were saved for it.
---@field documents table<string, clada.Document> The loaded documents when it was planned.
---@field plan string? Its plan, as long as the daemon has it.
---@field conflicts integer
---@field edits clada.EditedPlace[]? Places of its plan that the user edited.

--- What this editor applied and can take back, and what it took back, by root; the last one at the end.
local stacks = { undo = {}, redo = {} } ---@type table<string, table<string, table[]>>
local busy = {} ---@type table<string, boolean> Roots in which something is applied or undone.

local tell, plural = rpc.tell, rpc.plural
local BUSY = 'something is being applied: wait, or stop it by <C-c> in its review'

--- The environment of commands, of which the daemon hands on what the user has configured.
local function env()
  local environment = vim.empty_dict()
  for name, value in pairs(vim.fn.environ()) do
    environment[name] = buffers.is_utf8(name .. value) and value or nil
  end
  return environment
end

--- The loaded document of a planned file, of a move that of its old path.
local function document_of(flow, documents, file)
  local moved = file.oldPath and documents[buffers.path(flow.root, file.oldPath)]
  return moved or documents[buffers.path(flow.root, file.path)]
end

--- The reason why a file of the plan cannot be changed while its buffer is as it is.
local function blocked(flow)
  return function(file)
    local document = document_of(flow, flow.documents, file)
    if not (document and document.modified) then
      return
    elseif document.refused then
      return ('it is modified, and %s: save it first (W saves and plans again)'):format(document.refused)
    elseif file.kind == 'move' or file.kind == 'delete' then
      return 'it is modified and not saved: W saves it and plans again'
    elseif flow.disk then
      return 'it was modified again: W saves it and plans again'
    end
  end
end

--- True if the edits of a file are for its buffer.
local function is_delivered(flow, documents, file)
  local document = document_of(flow, documents, file)
  local is_text = file.kind == 'change' or (file.kind == 'create' and document and document.modified)
  return not flow.disk and document ~= nil and is_text and buffers.stands_for_file(document)
end

--- Plans over the buffers as they are now: the answer, or what is left of its plan; `only` parts of that with these ids;
--- with places that were `edited` since.
---@param only string[]?
---@param edited clada.EditedPlace[]?
local function plan(flow, only, edited)
  flow.documents = buffers.documents(flow.root)
  local err, result = rpc.call('plan', {
    root = flow.root,
    text = not flow.plan and flow.text or nil,
    planId = flow.plan,
    only = flow.plan and only,
    edited = flow.plan and edited,
    overlays = buffers.overlays(flow.documents),
    lines = 'lf',
    context = config.context,
    omit = { 'diff' },
    review = true,
    literal = flow.literal or nil,
    to = flow.to,
    dialects = not flow.plan and flow.dialects or nil,
    env = env(),
  })
  if err and flow.plan and err.data and err.data.kind == 'plan_not_found' then
    flow.plan = nil
    local model = plan(flow)
    -- What was edited is only in the plan that is gone.
    local again = flow.edits
    return model and again and flow.plan and plan(flow, only, again) or model
  elseif err then
    return rpc.tell_error(err)
  end
  flow.plan = result.planId
  return model_of.new(result, blocked(flow))
end

--- The reason why a plan has nothing to do.
local function nothing(model)
  local reason = model.plan.review.nothing
  return reason and render.advice(reason)
end

--- Plans again what is left, or `only` parts of it, and keeps the decisions about what is the same.
local function plan_again(flow, earlier, why, only)
  local model = plan(flow, only)
  if not model then
    return
  end
  local reason = nothing(model)
  if reason then
    return tell(reason)
  end
  local same = model_of.carry(model, earlier)
  if why then
    tell(why .. '; it was planned again. Look at it, then :w', vim.log.levels.WARN)
  end
  return model, same
end

M.plan_again = plan_again

--- Plans again with lines of a hunk as the user edited them, and shows that.
---@param place clada.EditedPlace
function M.edit(flow, model, place)
  flow.edits = vim.list_extend(flow.edits or {}, { place })
  local edited = plan(flow, nil, { place })
  if not edited then
    table.remove(flow.edits)
    return
  end
  model_of.carry(edited, model)
  review.open(flow, edited)
end

--- Finds documents of the plan whose buffers are not as they were when it was made.
local function changed_since(flow, model)
  local documents = buffers.documents(flow.root)
  for _, shown in ipairs(model.files) do
    local before = document_of(flow, flow.documents, shown.file)
    local now = document_of(flow, documents, shown.file)
    local was, is = before and before.modified, now and now.modified
    if (was or is) and not (was and is and before.tick == now.tick and before.buffer == now.buffer) then
      return shown.file.path, documents
    end
  end
  return nil, documents
end

--- Changes the buffer of a document by its change, which becomes the one that takes it back.
local function turn(document)
  local from = buffers.undo_state(document.buffer)
  document.saving = document.saved and not vim.bo[document.buffer].modified
  document.change = buffers.apply(document.buffer, document.change)
  document.undo = { from = from, to = buffers.undo_state(document.buffer) }
  document.before, document.text = document.text or document.before, nil
  document.tick = buffers.tick(document.buffer)
end

--- Saves documents that were unmodified, unless they were typed into meanwhile. Returns what could not be saved.
local function save(documents)
  local unsaved = {}
  for _, document in ipairs(documents) do
    if document.saving then
      rpc.pause()
    end
    if document.saving and buffers.tick(document.buffer) == document.tick then
      table.insert(unsaved, buffers.save(document))
      document.tick = buffers.tick(document.buffer)
      document.undo.to = document.tick and buffers.undo_state(document.buffer)
      document.is_saved = document.tick and not vim.bo[document.buffer].modified
    end
  end
  return unsaved
end

--- Applies the edits that came back. Returns what was applied, the URIs whose documents have changed meanwhile, and why
--- documents could not be saved.
local function apply_edits(flow, edits, delivered)
  local applied, missed = {}, nil
  for _, entry in ipairs(edits and edits.documentChanges or {}) do
    local uri = entry.textDocument and entry.textDocument.uri
    local path = uri and buffers.canonical(vim.uri_to_fname(uri))
    local document = path and delivered[path]
    if not uri then
      tell(('%s %s was asked of the editor, which leaves it to you'):format(entry.kind, entry.uri or entry.oldUri),
        vim.log.levels.ERROR)
    elseif document and buffers.tick(document.buffer) == document.tick then
      local done = {
        buffer = document.buffer, path = path, uri = uri, stamp = document.stamp, saved = not document.modified,
        before = (flow.documents[path] or {}).text or buffers.read(path),
        change = buffers.change(document.buffer, entry.edits),
      }
      turn(done)
      table.insert(applied, done)
    else
      missed = missed or {}
      missed[uri] = true
    end
  end
  return applied, missed, save(applied)
end

--- Keeps the texts that documents were left with, to know them by if their buffers are read again, or changed and back.
local function keep_texts(documents)
  for _, document in ipairs(documents) do
    local text = buffers.tick(document.buffer) == document.tick and buffers.text(document.buffer)
    if text and buffers.tick(document.buffer) == document.tick then
      document.text = text
    end
  end
end

local function emit(pattern, data)
  vim.api.nvim_exec_autocmds('User', { pattern = pattern, data = data, modeline = false })
end

local function push(stack, root, entry)
  stack[root] = stack[root] or {}
  table.insert(stack[root], entry)
  if #stack[root] > KEPT then
    table.remove(stack[root], 1)
  end
end

--- Calls a method that changes files of a root: nothing else may be begun there meanwhile.
local function call_alone(root, method, params, started)
  busy[root] = true
  local err, result = rpc.call(method, params, started)
  busy[root] = nil
  return err, result
end

--- Takes what an execution has done that was stopped, for undo: Neovim drops the answer that names it.
local function take_stopped(root, began)
  rpc.request('history.list', { root = root, limit = 1 }, function(_, list)
    local last = list and list.operations[1]
    if last and last.kind == 'execute' and last.beganMs >= began then
      push(stacks.undo, root, { operation = last.operationId, documents = {}, saved = {} })
      stacks.redo[root] = nil
    end
  end)
  rpc.answered('history.list')
end

--- Ends an operation that waits for what this editor saved of it: it is one operation, with one commit, with what a
--- formatter made of it. Puts into `result` what became of it.
local function finish(root, result, applied)
  local saved, unsaved = {}, {}
  for _, document in ipairs(applied) do
    table.insert(document.is_saved and saved or unsaved, document.uri)
  end
  local err, ended = call_alone(root, 'execute.saved', {
    root = root, operation = result.operationId, saved = saved, unsaved = unsaved,
  })
  if err then
    result.fatalError = result.fatalError or err.message
    return
  end
  result.operationId, result.git = ended.operationId or '', ended.git
  result.fatalError = result.fatalError or ended.fatalError
end

--- Applies what is accepted of a model. Shows the review again if it is not what was shown any more.
function M.carry_out(flow, model, started)
  local decides = vim.iter(model.units):any(function(unit) return unit.accepted or unit.declined end)
  if model_of.undecided(model) > 0 and not decides then
    return tell('nothing is accepted: y accepts what is proposed, n declines it, q closes', vim.log.levels.WARN)
  end
  local path, documents = changed_since(flow, model)
  if path then
    local again = plan_again(flow, model, path .. ' was changed')
    return again and review.open(flow, again)
  end
  local delivered, seconds, micros = {}, vim.uv.gettimeofday()
  for _, shown in ipairs(model.files) do
    if is_delivered(flow, documents, shown.file) then
      local document = document_of(flow, documents, shown.file)
      delivered[document.path] = document
    end
  end
  if model_of.has_command(model) then
    local unsaved = #buffers.modified(documents)
    if unsaved > 0 then
      if not review.get(flow.root) then
        review.open(flow, model)
      end
      return tell(('a command needs the files: W saves %s, n leaves the command out'):format(
        plural(unsaved, 'buffer')), vim.log.levels.WARN)
    end
    -- The command is to see the changes, so the daemon writes them, and the buffers are read again.
    delivered = {}
  end
  -- What was planned over has to be named, also if nothing of it is accepted.
  local uris = vim.tbl_map(vim.uri_from_fname, vim.tbl_keys(delivered))
  local saves = {}
  for path, document in pairs(delivered) do
    table.insert(saves, not document.modified and vim.uri_from_fname(path) or nil)
  end
  for path, document in pairs(documents) do
    if document.modified and not document.refused and not delivered[path] then
      table.insert(uris, vim.uri_from_fname(path))
    end
  end
  local accept, approve, decline = model_of.choice(model)
  local err, result = call_alone(flow.root, 'execute', {
    root = flow.root,
    planId = model.plan.planId,
    accept = accept,
    approve = #approve > 0 and approve or nil,
    decline = #decline > 0 and decline or nil,
    deliver = 'mixed',
    edits = uris,
    saves = saves,
    owner = vim.uv.os_getpid(),
    lines = 'lf',
    units = 'line',
    reports = { 'text', 'llm' },
    review = true,
    env = env(),
    stream = true,
  }, started)
  if err then
    local kind = err.data and err.data.kind
    if (kind == 'plan_not_found' or kind == 'conflict') and flow.conflicts == 0 then
      flow.conflicts = 1
      local again, same = plan_again(flow, model, kind == 'conflict' and 'a file was changed' or nil)
      if again and same and kind == 'plan_not_found' then
        return M.carry_out(flow, again, started)
      end
      return again and review.open(flow, again)
    elseif kind == 'cancelled' then
      take_stopped(flow.root, seconds * 1000 + math.floor(micros / 1000))
    end
    return rpc.tell_error(err)
  end
  local applied, missed, unsaved = apply_edits(flow, result.edits, delivered)
  local changes = result.changed or {}
  if result.open then
    finish(flow.root, result, applied)
  end
  local operation = result.operationId ~= '' and result.operationId or nil
  if result.open and not operation then
    -- Where a formatter turns back all that was saved, no operation is left, and nothing to undo.
    applied = vim.tbl_filter(function(document) return not document.is_saved end, applied)
  end
  if (result.changedMore or 0) > 0 then
    local _, shown = rpc.call('history.show', { root = flow.root, operation = operation })
    changes = shown and shown.changes or changes
  end
  buffers.follow(flow.root, changes)
  if operation or #applied > 0 then
    -- The daemon undoes what was saved, this editor what was not.
    local function is_open(document)
      return not (operation and document.is_saved)
    end
    local function is_saved(document)
      return not is_open(document)
    end
    push(stacks.undo, flow.root, {
      operation = operation, documents = vim.tbl_filter(is_open, applied), saved = vim.tbl_filter(is_saved, applied),
    })
    stacks.redo[flow.root] = nil
  end
  local is_conflict = flow.conflicts == 0 and vim.iter(result.results):any(function(action)
    return action.kind == 'conflict'
  end)
  review.close(flow.root)
  if not is_conflict or operation or #applied > 0 then
    problems.show(flow, result, applied, unsaved)
    emit('CladaApplied', { root = flow.root, operation = operation, own = true, success = result.success })
  end
  keep_texts(vim.tbl_filter(function(document) return not document.is_saved end, applied))
  local only, why, names = nil, 'a file was changed meanwhile', {}
  if is_conflict then
    flow.conflicts = 1
  elseif missed then
    only = {}
    for _, shown in ipairs(model.files) do
      if missed[shown.file.uri] then
        table.insert(names, vim.fs.basename(shown.file.path))
        vim.list_extend(only, model_of.accepted(shown))
        -- What failed in it may fit by now.
        for _, note in ipairs(model.notes) do
          table.insert(only, note.place and note.place.uri == shown.file.uri and note.action or nil)
        end
      end
    end
    why = 'typed into meanwhile: ' .. table.concat(names, ', ')
  else
    return
  end
  local again = plan_again(flow, model, why, only)
  if again then
    review.open(flow, again)
  end
end

--- Takes an answer from its text to the review, or carries it out if that is wanted and nothing needs approval.
---@param flow clada.Flow
function M.start(flow)
  if busy[flow.root] then
    return tell(BUSY, vim.log.levels.WARN)
  end
  flow.conflicts = 0
  local model = plan(flow)
  if not model then
    return
  end
  rpc.pause() -- Making it and showing it take their time.
  local reason = nothing(model)
  if reason then
    -- The model that wrote it can be asked for another form.
    local report = #(model.plan.notRead or {}) > 0 and config.copy_report ~= 'never' and M.report(flow)
    local copied = report and (' · request for the model in register %s'):format(problems.copy(report)) or ''
    local lines = vim.list_extend({ ('%s: %s%s'):format(flow.source, reason, copied) }, flow.notes or {})
    return tell(table.concat(lines, '\n'), vim.log.levels.WARN)
  end
  local blocks = vim.iter(model.units):any(function(unit)
    return unit.blocked ~= nil
  end)
  local undecided = model_of.undecided(model)
  local is_ready = not flow.review and not model_of.needs_approval(model) and not blocks
  -- Nobody can apply what is only proposed.
  if #model.units == 0 or (is_ready and (undecided == 0 or model_of.count(model) > 0)) then
    return M.carry_out(flow, model)
  end
  review.open(flow, model)
end

--- Returns the report for the model on what is reviewed, of which nothing was done.
function M.report(flow)
  local result = flow.plan and rpc.ask('plan', {
    root = flow.root, planId = flow.plan, overlays = buffers.overlays(buffers.documents(flow.root)), lines = 'lf',
    literal = flow.literal or nil, reports = { 'llm' }, omit = { 'diff' }, env = env(),
  })
  return result and result.reports.llm
end

--- Saves the modified buffers of a plan, with a command those of the project, and plans again, so that the daemon writes
--- all of it.
function M.save_and_plan(flow, model)
  local documents, wanted = buffers.documents(flow.root), {}
  for _, shown in ipairs(model.files) do
    table.insert(wanted, document_of(flow, documents, shown.file))
  end
  if model_of.has_command(model) then
    wanted = vim.tbl_values(documents)
  end
  for _, document in ipairs(buffers.modified(wanted)) do
    local ok, message = pcall(vim.api.nvim_buf_call, document.buffer, function()
      vim.cmd('silent write')
    end)
    if not ok then
      return tell(('%s was not saved: %s'):format(vim.fs.basename(document.path), message), vim.log.levels.ERROR)
    end
  end
  flow.disk = true
  local again = plan_again(flow, model)
  if again then
    review.open(flow, again)
  end
end

--- Returns the documents of an entry that are not as it left them. One that is keeps its number of changes.
local function changed_documents(entry)
  return vim.tbl_filter(function(document)
    local tick = buffers.tick(document.buffer)
    if tick and tick ~= document.tick and buffers.undo_state(document.buffer) == document.undo.from then
      -- The editor's own undo was first: it is taken back, and then all goes back together.
      buffers.to_undo_state(document.buffer, document.undo.to)
      document.tick = buffers.tick(document.buffer)
    elseif not tick or tick ~= document.tick then
      document.buffer = vim.fn.bufadd(document.path)
      vim.fn.bufload(document.buffer)
      local same = document.text ~= nil and buffers.text(document.buffer) == document.text
      document.tick = same and buffers.tick(document.buffer) or nil
    end
    return not document.tick
  end, entry.documents)
end

--- Takes the editor's own undo of saved documents back, so that their buffers are what was saved.
local function restore_saved(entry)
  for _, document in ipairs(entry.saved) do
    local buffer = document.buffer
    if buffers.tick(buffer) and vim.bo[buffer].modified and buffers.undo_state(buffer) == document.undo.from then
      buffers.to_undo_state(buffer, document.undo.to)
    end
  end
  entry.saved = {}
end

--- Returns the texts of documents that were changed since, each without the answer; or nothing, and the reason.
---@return string[]?, string?
local function merged(root, documents)
  local texts, top = {}, #buffers.canonical(root) + 2
  for _, document in ipairs(documents) do
    if not document.text or not document.before then
      return nil, ('%s was typed into at once: only `u` in it takes the answer back'):format(document.path:sub(top))
    end
    local now = buffers.text(document.buffer)
    document.now = buffers.tick(document.buffer)
    table.insert(texts, { before = document.before, after = document.text, now = now })
  end
  local result = rpc.ask('text.merge', { texts = texts })
  for index, text in ipairs(result and result.texts or {}) do
    if text == vim.NIL then
      return nil, ('%s was changed in the same place: only you can take the answer back there'):format(
        documents[index].path:sub(top))
    end
  end
  return result and result.texts
end

--- Says that this editor has nothing to undo, and what the last operation of the project is: it may be half of an answer
--- whose other half was in buffers, or another's.
local function tell_last(root)
  local list = rpc.ask('history.list', { root = root, limit = 20 })
  local last = vim.iter(list and list.operations or {}):find(function(operation)
    return not operation.undoneBy and not operation.undoes
  end)
  if last then
    local id = (list.shortIds or {})[last.operationId] or last.operationId
    tell(('this editor has nothing to undo here. The last operation is %s (%s): `:Clada undo %s` undoes it'):format(
      id, last.summary:gsub('\n', ' '), id), vim.log.levels.WARN)
  elseif list then
    tell('there is nothing to undo')
  end
end

--- Undoes the last answer of this editor, or an operation that is named (`redo`: does it again). All of it or nothing.
function M.undo(method, root, operation, options)
  if busy[root] then
    return tell(BUSY, vim.log.levels.WARN)
  end
  local back, merge = method == 'undo', options and options.merge
  local stack = stacks[method][root] or {}
  local entry = stack[#stack]
  if operation then
    entry = vim.iter(stack):find(function(candidate)
      return candidate.operation and vim.startswith(candidate.operation, operation)
    end)
  end
  local changed = entry and changed_documents(entry) or {}
  if #changed > 0 and not merge then
    return tell(('%s has changed since; nothing was undone. `:Clada undo --merge` keeps what was changed'):format(
      vim.fs.basename(changed[1].path)), vim.log.levels.ERROR)
  elseif back and not entry and not operation then
    return tell_last(root)
  end
  local merging, reason
  if #changed > 0 then
    merging, reason = merged(root, changed)
    if not merging then
      return reason and tell(reason .. '; nothing was undone', vim.log.levels.ERROR)
    end
  end
  local result
  if entry then
    restore_saved(entry)
  end
  if not entry or entry.operation then
    local unsaved = vim.tbl_map(function(document)
      return vim.uri_from_fname(document.path)
    end, buffers.modified(vim.tbl_values(buffers.documents(root))))
    local params = { root = root, operation = entry and entry.operation or operation, unsaved = unsaved }
    local err
    err, result = call_alone(root, method, vim.tbl_extend('force', params, options or {}))
    if err then
      local is_conflict = err.data and err.data.kind == 'conflict' and back and not merge
      return is_conflict and tell(err.message .. '\n`:Clada undo --merge` keeps what was changed.', vim.log.levels.ERROR)
        or rpc.tell_error(err)
    end
  end
  local documents = entry and entry.documents or {}
  if entry then
    documents = vim.tbl_filter(function(document)
      return not vim.tbl_contains(changed, document)
    end, documents)
    local typed = vim.iter(documents):any(function(document)
      return buffers.tick(document.buffer) ~= document.tick
    end) or vim.iter(changed):any(function(document)
      return buffers.tick(document.buffer) ~= document.now
    end)
    if typed then
      -- Somebody typed while the daemon was at it: neither is done.
      if result then
        call_alone(root, back and 'redo' or 'undo', { root = root, operation = result.operationId })
      end
      return tell('a buffer was changed meanwhile; nothing was undone', vim.log.levels.ERROR)
    end
    vim.iter(documents):each(turn)
    for index, document in ipairs(changed) do
      buffers.apply(document.buffer, buffers.change_to(document.buffer, merging[index]))
    end
    table.remove(stack, vim.fn.index(stack, entry) + 1)
    entry.operation = result and result.operationId
    push(stacks[back and 'redo' or 'undo'], root, entry)
  end
  buffers.follow(root, result and result.changes or {})
  local names = vim.tbl_map(function(change)
    return vim.fs.basename(change.path)
  end, vim.list_extend(vim.list_extend(vim.list_slice(result and result.changes or {}), documents), changed))
  local message = (back and 'undid changes to %s: %s%s · again: :Clada redo' or 'did changes to %s again: %s%s'):format(
    plural(#names, 'file'), table.concat(names, ', ', 1, math.min(#names, 3)), #names > 3 and ', …' or '')
  tell(table.concat(vim.list_extend({ message }, result and result.warnings or {}), '\n'))
  emit(back and 'CladaUndone' or 'CladaApplied', {
    root = root,
    operation = result and result.operationId,
    own = true,
    success = true,
  })
  keep_texts(documents)
end

--- Forgets an operation of this editor that was undone elsewhere. What is not saved of it is still this editor's.
local function forget_undone(root, operation)
  local stack = stacks.undo[root] or {}
  for at = #stack, 1, -1 do
    if operation and stack[at].operation == operation then
      stack[at].operation = nil
      if #stack[at].documents == 0 then
        table.remove(stack, at)
      end
    end
  end
end

--- What others do to a project that this editor uses.
function M.on_event(event)
  if event.own or not event.operationId then
    return
  end
  if event.kind == 'undone' then
    forget_undone(event.root, event.undoes)
  end
  rpc.run(function()
    buffers.follow(event.root, event.files or {}, true)
    emit(event.kind == 'undone' and 'CladaUndone' or 'CladaApplied', {
      root = event.root,
      operation = event.operationId,
      own = false,
    })
  end)
end

return M
