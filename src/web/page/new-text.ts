/** The text of the audit that is being written, kept while other screens are looked at. */
let kept: string | null = null

export const keptText = (): string | null => kept
export function keepText(yaml: string): void {
  kept = yaml
}
