/** What a job title of the salary data says: role, field and seniority. Our patterns; [labels] 5.2 gives only their numbers. */

// The 14 most frequent roles and 13 most frequent fields of the file's 193 titles.
export const roles = [
  'engineer',
  'manager',
  'developer',
  'scientist',
  'analyst',
  'director',
  'coordinator',
  'associate',
  'designer',
  'generalist',
  'representative',
  'receptionist',
  'executive',
  'specialist',
]

const fieldPatterns: Readonly<Record<string, RegExp>> = {
  software: /\bsoftware\b/,
  marketing: /\bmarketing\b/,
  data: /\bdata\b/,
  product: /\bproduct\b/,
  sales: /\bsales\b/,
  'human resources': /\b(hr|human)\b/,
  project: /\bproject\b/,
  'full stack': /\bfull stack\b/,
  'front end': /\bfront end\b/,
  'back end': /\bback end\b/,
  finance: /\bfinanc(e|ial)\b/,
  research: /\bresearch(er)?\b/,
  operations: /\boperations\b/,
}
export const fields = Object.keys(fieldPatterns)

export const seniorities = ['junior', 'senior']

/** The last role named: a "Software Engineer Manager" manages. Null when none of the 14 is. */
export function roleOf(title: string): string | null {
  const words = title.toLowerCase().match(/[a-z]+/g) ?? []
  const named = words.map((word) => (word === 'rep' ? 'representative' : word)).filter((word) => roles.includes(word))
  return named.at(-1) ?? null
}

/** The first field named. */
export function fieldOf(title: string): string | null {
  const lower = title.toLowerCase()
  const found = Object.entries(fieldPatterns).map(([field, pattern]) => ({ field, at: lower.search(pattern) }))
  const first = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]
  return first?.field ?? null
}

/** The file also writes "Juniour". */
export function seniorityOf(title: string): string | null {
  return /^junio/i.test(title) ? 'junior' : /^senior\b/i.test(title) ? 'senior' : null
}
