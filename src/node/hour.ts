/** The hour, for people. */

/** "2026-11-18 02:15 UTC"; now unless told. */
export const hourOf = (when = new Date()): string => `${when.toISOString().slice(0, 16).replace('T', ' ')} UTC`
