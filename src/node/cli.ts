/** The command `overhear`: reads its arguments, runs one job, returns its exit code. */

export async function main(_args: readonly string[]): Promise<number> {
  return 0
}
