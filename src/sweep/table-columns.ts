/** The tables that a sweep leaves, and their columns. */

export const tableNames = ['trials', 'questions', 'scores', 'utility'] as const
export type TableName = (typeof tableNames)[number]

const ladder = ['guess', 'federation', 'client', 'record', 'everybody']

/** Columns behind those of the trial and its axes. */
export const ownColumns: Readonly<Record<TableName, readonly string[]>> = {
  trials: ['status', 'reason', 'level', 'tested', 'notTested'],
  questions: [
    ...['observer', 'target', 'model', 'kind', 'name', 'level', 'metric', 'better', ...ladder],
    ...['recordStep', 'recordP', 'clientStep', 'clientP', 'notTested'],
  ],
  scores: [
    ...['observer', 'attack', 'params', 'target', 'model', 'oracle', 'status', 'kind', 'name'],
    ...['metric', 'better', 'value', 'chance', 'lift', 'reason'],
  ],
  utility: ['model', 'rounds', 'trainLoss', 'heldOutLoss', 'metric', 'value', 'diverged'],
}

/** Names of columns: no axis may be called so. */
export const reserved: readonly string[] = [...new Set(['trial', 'seed', ...Object.values(ownColumns).flat()])]

/** The columns of a table of a sweep with these axes. */
export const columnsOf = (table: TableName, axes: readonly string[]): string[] => [
  'trial',
  'seed',
  ...axes,
  ...ownColumns[table],
]
