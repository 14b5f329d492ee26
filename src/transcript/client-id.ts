/** What may name a client, in every file of a run. */

export const idPattern = /^[A-Za-z0-9_.-]{1,128}$/

export const isClientId = (id: string): boolean => idPattern.test(id)
