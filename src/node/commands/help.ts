/** What `--help` prints: for the command as a whole, and for one of its jobs. */

export interface About {
  readonly summary: string
  readonly usage: string
  /** More words, for the help of this job alone. */
  readonly more?: string
}

const everywhere = `Everywhere: --json (one JSON document on stdout, progress on stderr), --seed N, --out DIR, --data-dir DIR, --quiet, --help,
--plugin FILE (repeatable: attacks, datasets and the like of one's own), --trust-plugins (attacks in them are not confined).
Exit codes: 0 done; 1 a bug of ours; 2 wrong input; 3 a --fail-on rule was violated or not tested, or lint found an error;
4 incomplete, an attack ran out of time or failed; 130 interrupted, what was finished is kept.`

export function helpText(commands: Readonly<Record<string, About>>): string {
  const lines = Object.values(commands).map(({ usage, summary }) => `  ${usage}\n      ${summary}`)
  return `overhear: what does your federated learning leak?\n\n${lines.join('\n')}\n\n${everywhere}\n`
}

export function helpFor({ summary, usage, more }: About): string {
  return [`${summary}\n\n  ${usage}`, ...(more === undefined ? [] : [more]), everywhere].join('\n\n')
}
