/** The document of an audit that ran before, from the folder of its run. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditDocument } from '../../audit/document.js'
import { OverhearError } from '../../errors.js'
import { requireRegular } from './regular-file.js'

const hint = 'give the folder of a run, such as runs/my-audit-0123456789ab, or its audit.json'

/** Reads it, and makes sure that it looks like one: whoever shows it escapes what it says. */
export function readAudit(path: string): AuditDocument {
  const file = fileOf(path)
  if (!existsSync(file)) throw new OverhearError('E_INPUT', `${file}: there is no such file`, hint)
  requireRegular(file, "an audit's document")
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OverhearError('E_INPUT', `${file}: ${(error as Error).message}`, hint)
  }
  const { questions, observers, verdict, utility } = (value ?? {}) as Partial<Record<string, unknown>>
  const known = Array.isArray(questions) && Array.isArray(observers) && isRecord(verdict) && isRecord(utility)
  if (!known) throw new OverhearError('E_INPUT', `${file} is no document of an audit`, hint)
  return value as AuditDocument
}

const fileOf = (path: string): string =>
  existsSync(path) && statSync(path).isDirectory() ? join(path, 'audit.json') : path

/** When it was written. */
export const auditedAt = (path: string): Date => statSync(fileOf(path)).mtime

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is made of a document that was written by others, or by another version: what it lacks is an error in words. */
export function madeOf<T>(path: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof OverhearError || !(error instanceof TypeError)) throw error
    throw new OverhearError('E_INPUT', `${path}: ${error.message}`, 'it was not written by this version; audit again')
  }
}
