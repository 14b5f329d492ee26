/** How strong the leaks are that are planted in a scenario's own federation, and which trainings these are. */

/** Share of what is redrawn that the secret decides, by plant: the last is the strongest that is made. */
export const grades = [0.3, 0.6, 0.98] as const

/** Plants by number, from 0. */
export const plants: readonly number[] = [...grades.keys()]

/** The same grades drawn anew, for what the plants before have left open: 0 are the first ones. */
export const plantsAgain = (times: number): readonly number[] => plants.map((plant) => times * plants.length + plant)

export const gradeOf = (plant: number): number => grades[plant % grades.length]!

const beyondRepeats = 1048576

/** A plant is one more repeat, with a number that no repeat of a verdict has. */
export const plantRepeat = (plant: number): number => beyondRepeats + plant
