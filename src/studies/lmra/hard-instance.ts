/** [lmra] Obs. 2, [aia] Prop. 3: two clients' losses that no message tells apart until the model has reached the last coordinate. */

/** H: 1 on the diagonal, -1/2 beside it; H': the same with its last row and column zero. X^T y is e_1 / 2 for both. */
const curved = (theta: Float64Array, last: boolean): Float64Array =>
  theta.map((_, i) => {
    const d = theta.length
    const at = (j: number): number => (j < 0 || j >= d || (!last && j === d - 1) ? 0 : theta[j]!)
    if (!last && i === d - 1) return 0
    return at(i) - (at(i - 1) + at(i + 1)) / 2 - (i === 0 ? 0.5 : 0)
  })

/** Which message of a client is the first that would be another one with H': FedAvg from zero with one other client at zero. */
export function firstTellingMessage(d: number, localSteps: number): number {
  const rate = 0.5
  let models = [new Float64Array(d), new Float64Array(d)]
  for (let message = 1; message <= 2 * d + 2; message++) {
    const returned = models.map((sent, which) => {
      let theta = sent
      for (let step = 0; step < localSteps; step++) {
        const slope = curved(theta, which === 0)
        theta = theta.map((x, i) => x - rate * slope[i]!)
      }
      return theta
    })
    if (returned[0]!.some((x, i) => x !== returned[1]![i])) return message
    // The other client's curvature is 1 in all directions, its optimum 0.
    let shrink = 1
    for (let step = 0; step < localSteps; step++) shrink *= 1 - rate
    models = models.map((sent, which) => sent.map((x, i) => (returned[which]![i]! + shrink * x) / 2))
  }
  return Number.POSITIVE_INFINITY
}
