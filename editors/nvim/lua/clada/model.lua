--- A plan as it is reviewed: files with their hunks, other actions, what failed, and what of it is accepted.
---
--- Knows the result of `plan`. It must not know windows or buffers. A unit is what is accepted or left out as one:
--- a group of hunks, or an action that has none.

local M = {}

---@class clada.Unit
---@field id string
---@field accepted boolean
---@field declined boolean? True if the user has left it out.
---@field approvals string[] Ids of the approvals that accepting it gives.
---@field blocked string? The reason why it cannot be accepted now.
---@field tasks string[] The tasks that it is of.
---@field key string Its content, by which it is known in another plan of the same answer.
---@field action table? Of an action without hunks.
---@field proposal table? The proposal that it is of: it is accepted only by the user.
---@field others clada.Unit[]? Units that are left out if it is accepted: one of several versions or places.

local function already(action)
  return action.unchanged or (action.unplannable or {}).kind == 'answer_already_applied'
end

--- Returns the words for an action that is not shown by hunks.
function M.words(action)
  if action.command then
    return 'run ' .. action.command
  elseif action.newPath then
    return ('%s %s → %s'):format(action.action, action.path or '', action.newPath)
  end
  return ('%s %s'):format(action.action, action.path or '')
end

--- The file of a proposal as it is reviewed; of a daemon that tells no hunks, one without.
local function file_of(proposal)
  local kinds = { new = 'create', delete = 'delete', move = 'move' }
  return proposal.file or {
    path = proposal.newPath or proposal.path, oldPath = proposal.newPath and proposal.path, uri = '',
    kind = kinds[proposal.form] or 'change', hunks = {},
  }
end

--- Proposals in the order in which they are shown: those that need attention come first. A part is offered as a part
--- alone: as the whole file it removes the rest, which only `clada apply` asks about.
local function proposals_of(plan)
  local first, rest = {}, {}
  for _, proposal in ipairs(plan.proposals or {}) do
    if not proposal.wholeOf then
      table.insert(#(proposal.attention or {}) > 0 and first or rest, proposal)
    end
  end
  return vim.list_extend(first, rest)
end

--- Makes the model of a plan.
---@param blocked fun(file: table): string? The reason why a file cannot be changed now.
function M.new(plan, blocked)
  local model = { plan = plan, units = {}, by_id = {}, files = {}, rest = {}, problems = {}, looks = {}, done = {} }
  local owner, covered = {}, {}
  for _, action in ipairs(plan.actions) do
    owner[action.id] = action
    for _, hunk in ipairs(action.hunks) do
      owner[hunk.id] = action
    end
  end
  local function unit(id, key)
    local it = model.by_id[id]
    if not it then
      it = { id = id, accepted = true, approvals = {}, tasks = {}, key = '' }
      model.by_id[id] = it
      table.insert(model.units, it)
    end
    it.key = it.key .. key
    return it
  end
  local function cover(it, action)
    covered[action.id] = true
    table.insert(it.tasks, action.task)
    local approval = action.needsApproval
    if approval and not vim.tbl_contains(it.approvals, approval) then
      table.insert(it.approvals, approval)
      it.accepted = false
    end
  end
  for _, proposal in ipairs(proposals_of(plan)) do
    local file = file_of(proposal)
    local shown, reason = { file = file, hunks = {}, proposal = proposal }, blocked(file)
    local function offer(id, key)
      local it = unit(id, key)
      it.proposal, it.accepted, it.blocked = proposal, false, it.blocked or reason
      it.approvals = proposal.needsApproval and { proposal.needsApproval } or {}
      return it
    end
    for _, hunk in ipairs(file.hunks) do
      local key = file.path .. '\0' .. table.concat(hunk.removed) .. '\0' .. table.concat(hunk.added)
      table.insert(shown.hunks, { hunk = hunk, unit = offer(hunk.group, key) })
    end
    if #file.hunks == 0 then
      shown.unit = offer(proposal.id, ('%s\0%s\0%s'):format(proposal.form, file.path, proposal.diff or ''))
    end
    table.insert(model.files, shown)
  end
  for _, it in ipairs(model.units) do
    local excluded = it.proposal.alternatives or {}
    it.others = vim.tbl_filter(function(other)
      return other.proposal.id ~= it.proposal.id and vim.list_contains(excluded, other.proposal.id)
    end, model.units)
  end
  for _, file in ipairs(plan.files or {}) do
    local shown = { file = file, hunks = {} }
    local reason = blocked(file)
    for _, hunk in ipairs(file.hunks) do
      local it = unit(hunk.group, file.path .. '\0' .. table.concat(hunk.removed) .. '\0' .. table.concat(hunk.added))
      for _, part in ipairs(hunk.parts) do
        cover(it, owner[part])
      end
      it.blocked = it.blocked or reason
      table.insert(shown.hunks, { hunk = hunk, unit = it })
    end
    if #file.hunks == 0 and file.group then
      shown.unit = unit(file.group, ('%s\0%s\0%s'):format(file.kind, file.path, file.oldPath or ''))
      shown.unit.blocked = shown.unit.blocked or reason
    end
    for _, part in ipairs(file.group and file.parts or {}) do
      cover(unit(file.group, ''), owner[part])
    end
    table.insert(model.files, shown)
  end
  for _, action in ipairs(plan.actions) do
    if already(action) then
      table.insert(model.done, action)
    elseif action.unplannable then
      table.insert(model.problems, action)
    elseif action.looks then
      table.insert(model.looks, action)
    elseif not covered[action.id] then
      local it = unit(action.id, M.words(action) .. (action.diff or ''))
      it.action = action
      cover(it, action)
      table.insert(model.rest, it)
    end
  end
  for _, it in ipairs(model.units) do
    it.accepted = it.accepted and not it.blocked
  end
  return model
end

--- Returns the ids of what is accepted of a file.
function M.accepted(shown)
  local ids = {}
  for _, it in ipairs(vim.list_extend({ { unit = shown.unit } }, shown.hunks)) do
    if it.unit and it.unit.accepted and not vim.tbl_contains(ids, it.unit.id) then
      table.insert(ids, it.unit.id)
    end
  end
  return ids
end

--- Counts what is accepted, and all that could be.
function M.count(model)
  local accepted = 0
  for _, unit in ipairs(model.units) do
    accepted = accepted + (unit.accepted and 1 or 0)
  end
  return accepted, #model.units
end

--- Accepts a unit or leaves it out; returns the reason if that cannot be.
function M.set(unit, accepted)
  if accepted and unit.blocked then
    return unit.blocked
  end
  unit.accepted, unit.declined = accepted, not accepted
  for _, other in ipairs(accepted and unit.others or {}) do
    other.accepted = false
  end
end

--- Counts the proposals of which nothing is accepted and that are not declined.
function M.undecided(model)
  return #vim.tbl_filter(function(shown)
    local units = shown.proposal and (shown.unit and { shown.unit } or vim.tbl_map(function(part) return part.unit end, shown.hunks))
    return units and not vim.iter(units):any(function(unit)
      return unit.accepted or unit.declined or vim.iter(unit.others):any(function(other) return other.accepted end)
    end)
  end, model.files)
end

--- Takes over the decisions of an earlier model about the same changes. Returns true if there are no others.
function M.carry(model, earlier)
  local known, same = {}, #model.units == #earlier.units and #model.problems == #earlier.problems
  for _, unit in ipairs(earlier.units) do
    known[unit.key] = unit
  end
  for index, unit in ipairs(model.units) do
    local before = known[unit.key]
    same = same and earlier.units[index].key == unit.key
    if before and before.declined then
      M.set(unit, false)
    elseif before and not unit.blocked and not before.blocked then
      -- An approval is of one plan's content: the same content has the same id.
      unit.accepted = before.accepted and (#unit.approvals == 0 or vim.deep_equal(unit.approvals, before.approvals))
    end
  end
  return same
end

--- Returns what to give to `execute`: the ids that are accepted, or nothing if that is all but the proposals; the
--- approvals; and the proposals that the user has declined.
function M.choice(model)
  local accept, approve, decline, all, proposed = {}, {}, {}, true, {}
  for _, unit in ipairs(model.units) do
    all = all and unit.accepted == not unit.proposal
    if unit.accepted then
      table.insert(accept, unit.id)
      vim.list_extend(approve, unit.approvals)
    end
    if unit.proposal then
      local id = unit.proposal.id
      proposed[id] = proposed[id] or { declined = false, accepted = false }
      proposed[id].accepted = proposed[id].accepted or unit.accepted
      proposed[id].declined = proposed[id].declined or unit.declined
    end
  end
  for id, decided in vim.spairs(proposed) do
    table.insert(decline, decided.declined and not decided.accepted and id or nil)
  end
  if all then
    return nil, approve, decline
  end
  for _, actions in ipairs({ model.looks, model.problems, model.done }) do
    for _, action in ipairs(actions) do
      table.insert(accept, action.id)
    end
  end
  return accept, approve, decline
end

--- Returns the tasks of which nothing is accepted, and the number of units that are left out of others.
---@return table<string, boolean>, integer
function M.declined(model)
  local declined = {}
  for _, unit in ipairs(model.units) do
    for _, task in ipairs(unit.tasks) do
      declined[task] = not unit.accepted and declined[task] ~= false
    end
  end
  return declined, #vim.tbl_filter(function(unit)
    return not unit.accepted and not unit.proposal and not vim.iter(unit.tasks):any(function(task) return declined[task] end)
  end, model.units)
end

--- True if a command would run that cannot while documents come back as edits.
function M.has_command(model)
  return vim.iter(model.units):any(function(unit)
    return unit.accepted and unit.action ~= nil and unit.action.command ~= nil
  end)
end

--- True if something that was not only proposed needs an approval.
function M.needs_approval(model)
  return vim.iter(model.units):any(function(unit)
    return #unit.approvals > 0 and not unit.proposal
  end)
end

return M
