--- A plan as it is reviewed, and what of it is accepted.
---
--- Knows the daemon's `review` of a plan. It must not know windows or buffers.

local M = {}

---@class clada.Unit: clada.ReviewUnit What is accepted or left out as one.
---@field declined boolean? True if the user has left it out.
---@field blocked string? The reason why it cannot be accepted now.
---@field others clada.Unit[] Those that it excludes.

--- Makes the model of a plan.
---@param blocked fun(file: table): string? The reason why a file cannot be changed now.
function M.new(plan, blocked)
  local units = plan.review.units
  local model = { plan = plan, units = units, notes = plan.review.notes, files = {} }
  local by_id = {} ---@type table<string, clada.Unit>
  for _, unit in ipairs(units) do
    by_id[unit.id], unit.approvals = unit, unit.approvals or {}
  end
  local function unit_of(id)
    return by_id[id]
  end
  for _, unit in ipairs(units) do
    unit.others = vim.tbl_map(unit_of, unit.excludes or {})
  end
  for _, file in ipairs(plan.files or {}) do
    local reason = blocked(file)
    local shown = { file = file, units = vim.tbl_map(unit_of, file.units or {}) }
    for _, unit in ipairs(shown.units) do
      unit.blocked = unit.blocked or reason
      unit.accepted = unit.accepted and not unit.blocked
    end
    shown.unit = #file.hunks == 0 and by_id[file.group] or nil
    shown.hunks = vim.tbl_map(function(hunk) return { hunk = hunk, unit = by_id[hunk.group] } end, file.hunks)
    table.insert(model.files, shown)
  end
  return model
end

--- Returns the ids of what is accepted of a file.
function M.accepted(shown)
  return vim.iter(shown.units):map(function(unit) return unit.accepted and unit.id or nil end):totable()
end

--- Counts what is accepted, and all that could be.
function M.count(model)
  return #vim.tbl_filter(function(unit) return unit.accepted end, model.units), #model.units
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

--- Counts the proposals of which nothing is decided.
function M.undecided(model)
  local open = {}
  for _, unit in ipairs(model.units) do
    local is_open = not (unit.accepted or unit.declined or vim.iter(unit.others):any(function(other) return other.accepted end))
    if unit.proposal then
      open[unit.proposal] = open[unit.proposal] ~= false and is_open
    end
  end
  return #vim.tbl_filter(function(is_open) return is_open end, open)
end

--- Takes over the decisions of an earlier model about the same changes. Returns true if there are no others.
function M.carry(model, earlier)
  local known, same = {}, #model.units == #earlier.units and model.plan.review.failed == earlier.plan.review.failed
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
--- approvals; and what the user has declined of proposals.
function M.choice(model)
  local accept, approve, decline, all = vim.list_slice(model.plan.review.always), {}, {}, true
  for _, unit in ipairs(model.units) do
    all = all and unit.accepted == not unit.proposal
    if unit.accepted then
      table.insert(accept, unit.id)
      vim.list_extend(approve, unit.approvals)
    elseif unit.declined and unit.proposal then
      table.insert(decline, unit.id)
    end
  end
  return not all and accept or nil, approve, decline
end

--- True if a command would run that cannot while documents come back as edits.
function M.has_command(model)
  return vim.iter(model.units):any(function(unit) return unit.accepted and unit.command end)
end

--- True if something that was not only proposed needs an approval.
function M.needs_approval(model)
  return vim.iter(model.units):any(function(unit) return #unit.approvals > 0 and not unit.proposal end)
end

return M
