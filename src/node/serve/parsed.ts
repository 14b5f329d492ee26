/** What was asked, by its schema, or an error that says what is wrong with it. */
import { z } from 'zod'
import { OverhearError } from '../../errors.js'

export function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw new OverhearError('E_INPUT', z.prettifyError(read.error).replaceAll('\n', ' '))
}
