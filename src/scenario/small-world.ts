/** Federations that are hardly one, and what that means for whoever reads of them. */

/** What a reader must know of a federation that is hardly one. */
export function smallWorld({ clients, rounds }: { readonly clients: number; readonly rounds: number }): string[] {
  return [
    ...(clients === 1
      ? ['there is one client: what the server makes of all messages is what this client sent, and no sum hides it']
      : []),
    ...(rounds === 1 ? ['there is one round: attacks that compare rounds have nothing to compare'] : []),
  ]
}
