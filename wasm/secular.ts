// Roots of f(x) = 1 + rho * sum_j w_j / (p_j - x) for ascending poles p_j: the eigenvalues after a change of rank one. The
// poles are d_j, or with `squared` d_j^2 (then x is the square of what is returned, and differences of squares are kept as
// products). A root is held as a pole plus an offset, so that its distance to every pole is known to full relative accuracy.

const ROUNDOFF: f64 = 1.1102230246251565e-16
const STEPS: i32 = 120

// @ts-ignore: decorator
@inline function get(a: usize, i: i32): f64 { return load<f64>(a + (i << 3)) }

/** delta_j = p_j - x for x at d_origin + tau. */
function distances(delta: usize, d: usize, K: i32, origin: i32, tau: f64, squared: bool): void {
  const at = get(d, origin)
  const base = f64x2.splat(at), off = f64x2.splat(tau)
  let j = 0
  for (; j + 2 <= K; j += 2) {
    const dj = v128.load(d + (j << 3))
    const apart = f64x2.sub(f64x2.sub(dj, base), off)
    v128.store(delta + (j << 3), squared ? f64x2.mul(apart, f64x2.add(f64x2.add(dj, base), off)) : apart)
  }
  if (j < K) {
    const apart = get(d, j) - at - tau
    store<f64>(delta + (j << 3), squared ? apart * (get(d, j) + at + tau) : apart)
  }
}

/** Offset in d that moves x by eta, from the place `at` in d. */
// @ts-ignore: decorator
@inline function offset(eta: f64, at: f64, squared: bool): f64 { return squared ? eta / (at + sqrt<f64>(at * at + eta)) : eta }

/** The root of c eta^2 - a eta + b = 0 that continues to b / a. */
// @ts-ignore: decorator
@inline function nearRoot(a: f64, b: f64, c: f64): f64 {
  const root = sqrt<f64>(abs<f64>(a * a - 4 * b * c))
  return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root)
}

/** Root i of K, between d_i and d_(i+1) (the last: beyond d_i). Leaves p_j - x in delta. NaN when it cannot be found. */
export function secularRoot(i: i32, K: i32, d: usize, w: usize, rho: f64, squared: bool, delta: usize): f64 {
  const last = i == K - 1
  let origin = i
  let lo: f64 = 0, hi: f64 = 0, tau: f64 = 0
  if (last) {
    let total: f64 = 0
    for (let j = 0; j < K; j++) total += get(w, j)
    hi = offset(rho * total, get(d, i), squared)
    tau = hi
  } else {
    // The sign of f in the middle tells the nearer pole; the other terms, frozen there, leave a quadratic equation.
    const gap = get(d, i + 1) - get(d, i)
    const wide = squared ? gap * (get(d, i + 1) + get(d, i)) : gap
    distances(delta, d, K, i, 0.5 * gap, squared)
    let c: f64 = 1
    for (let j = 0; j < K; j++) if (j != i && j != i + 1) c += rho * get(w, j) / get(delta, j)
    const s = rho * get(w, i), S = rho * get(w, i + 1)
    let eta: f64
    if (c + s / get(delta, i) + S / get(delta, i + 1) >= 0) {
      hi = 0.5 * gap
      eta = nearRoot(c * wide + s + S, s * wide, c)
    } else {
      origin = i + 1
      lo = -0.5 * gap
      eta = nearRoot(s + S - c * wide, -S * wide, c)
    }
    tau = offset(eta, get(d, origin), squared)
    if (!(tau > lo && tau < hi)) tau = 0.5 * (lo + hi)
  }
  const at = get(d, origin)
  for (let step = 0; step < STEPS; step++) {
    distances(delta, d, K, origin, tau, squared)
    // Below the root's interval and above it: psi < 0 < phi, and their slopes.
    let psi: f64 = 0, psiSlope: f64 = 0, phi: f64 = 0, phiSlope: f64 = 0
    for (let j = 0; j <= i; j++) {
      const q = get(w, j) / get(delta, j)
      psi += q
      psiSlope += q / get(delta, j)
    }
    for (let j = i + 1; j < K; j++) {
      const q = get(w, j) / get(delta, j)
      phi += q
      phiSlope += q / get(delta, j)
    }
    psi *= rho; psiSlope *= rho; phi *= rho; phiSlope *= rho
    const f = 1 + psi + phi
    const slope = psiSlope + phiSlope
    if (abs<f64>(f) <= ROUNDOFF * <f64>K * (1 + phi - psi)) return at + tau
    if (f < 0) lo = tau
    else hi = tau
    let eta: f64
    if (last) {
      // r + s / (p - x) with the value and slope of f
      const p = get(delta, i)
      eta = p * f / (f - p * slope)
    } else {
      // c + s / (p_i - x) + S / (p_(i+1) - x), where s and S match the slopes of psi and phi
      const p = get(delta, i), q = get(delta, i + 1)
      eta = nearRoot((p + q) * f - p * q * slope, p * q * f, f - p * psiSlope - q * phiSlope)
    }
    if (!(eta * f < 0)) eta = -f / slope
    let next = tau + offset(eta, at + tau, squared)
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi)
    if (next == tau || next == lo || next == hi) return at + tau
    tau = next
  }
  return NaN
}

/**
 * The z whose problem has exactly the computed roots (Gu and Eisenstat): with it the vectors come out orthogonal. S: row i
 * holds the distances of root i. z is overwritten, keeping its signs. Without `squared` its length is arbitrary.
 */
export function exactZ(z: usize, d: usize, S: usize, K: i32, squared: bool, work: usize): void {
  for (let j = 0; j < K; j++) store<f64>(work + (j << 3), 1)
  for (let i = 0; i < K; i++) {
    const delta = S + ((i * K) << 3)
    for (let j = 0; j < K; j++) {
      let q = i < j ? get(delta, j) : -get(delta, j)
      if (i < j || i < K - 1) {
        const p = get(d, i < j ? i : i + 1)
        const apart = i < j ? get(d, j) - p : p - get(d, j)
        q /= squared ? apart * (get(d, j) + p) : apart
      }
      store<f64>(work + (j << 3), get(work, j) * q)
    }
  }
  for (let j = 0; j < K; j++) store<f64>(z + (j << 3), copysign<f64>(sqrt<f64>(abs<f64>(get(work, j))), get(z, j)))
}
