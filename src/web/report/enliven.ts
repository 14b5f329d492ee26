/**
 * What runs inside a report: tables that sort, search and leave as CSV, figures that leave as SVG, one search over all of
 * it. Without it the report shows the same. tools/report-script.mjs puts it, made small, into src/report/html/report-script.ts.
 */

/** A cell as src/report/data-table.ts writes it: words, a second line, classes; always put down as text. */
type Cell = string | { readonly t: string; readonly d?: string; readonly c?: string; readonly h?: string }

interface Live {
  readonly name: string
  show(query: string): number
}

const page = 100
const all = <E extends Element>(selector: string, from: ParentNode = document): E[] => [
  ...from.querySelectorAll<E>(selector),
]

function made<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  words = '',
  more: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const one = document.createElement(tag)
  one.textContent = words
  for (const [key, value] of Object.entries(more)) one.setAttribute(key, value)
  return one
}

const button = (words: string, click: () => void, more: Readonly<Record<string, string>> = {}): HTMLButtonElement => {
  const one = made('button', words, { type: 'button', ...more })
  one.addEventListener('click', click)
  return one
}

function save(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  made('a', '', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

const fileName = (words: string): string => words.replace(/[^\w]+/g, '-').slice(0, 60)

const textOf = (cell: Cell): string =>
  typeof cell === 'string' ? cell : cell.d === undefined ? cell.t : `${cell.t} (${cell.d})`

/** What a spreadsheet would take for a formula is text there. */
const csvCell = (cell: Cell): string => {
  const text = textOf(cell)
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

function cellElement(cell: Cell, ofColumn: string): HTMLTableCellElement {
  if (typeof cell === 'string') return made('td', cell, ofColumn === '' ? {} : { class: ofColumn })
  const { t, d, c = ofColumn, h } = cell
  const one = made('td', t, { ...(c && { class: c }), ...(h && { title: h }) })
  if (d) one.append(made('br'), made('span', d, { class: 'dim' }))
  return one
}

/** The first number of a cell, else nothing: figures sort as figures, words as words. */
const numberIn = (text: string): number => Number.parseFloat(text.replace(/^[^\d+-]*(?=[+-]?\d)/, ''))

const csvText = (rows: readonly (readonly Cell[])[]): string =>
  `${rows.map((cells) => cells.map(csvCell).join(',')).join('\r\n')}\r\n`

/** A small table has nothing to sort, and leaves as CSV all the same. */
function enlivenPlain(table: HTMLTableElement, k: number): void {
  const name = table.caption?.textContent ?? `table ${k + 1}`
  const csv = (): void => {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent!.trim()))
    save(`${fileName(name)}.csv`, csvText(rows), 'text/csv')
  }
  const bar = made('div', '', { class: 'bar' })
  bar.append(button('CSV', csv, { 'aria-label': `${name} as CSV` }))
  table.after(bar)
}

function enlivenTable(table: HTMLTableElement): Live {
  const { id } = table
  const name = table.caption?.textContent ?? id
  const body = table.tBodies[0]!
  const data = document.getElementById(`${id}-rows`)
  const drawn = [...body.rows].map((row) => ({ row, text: row.textContent!.toLowerCase() }))
  let rows: { row?: HTMLTableRowElement; cells?: readonly Cell[]; text: string }[] | undefined
  const rowsNow = (): NonNullable<typeof rows> => {
    if (rows !== undefined) return rows
    const more = data === null ? [] : (JSON.parse(data.textContent!) as Cell[][])
    rows = [...drawn, ...more.map((cells) => ({ cells, text: cells.map(textOf).join(' ').toLowerCase() }))]
    return rows
  }
  const cellsOf = (one: NonNullable<typeof rows>[number]): readonly Cell[] =>
    one.cells ??
    [...one.row!.cells].map((cell) =>
      [...cell.childNodes]
        .map((node) => node.textContent ?? '')
        .join(' ')
        .trim(),
    )
  const classes = all('thead th', table).map((th) => th.className)
  let [query, limit, sort, down] = ['', page, -1, false]
  const count = made('span', '', { class: 'dim', role: 'status' })
  const more = button('Show more', () => {
    limit += 5 * page
    render()
  })
  const render = (): number => {
    let list = rowsNow()
    if (query !== '') list = list.filter(({ text }) => text.includes(query))
    if (sort >= 0) {
      const keyed = list.map((one) => {
        const cell = one.cells?.[sort]
        const text = cell === undefined ? (one.row?.cells[sort]?.textContent ?? '') : textOf(cell)
        return { one, text, number: numberIn(text) }
      })
      const sign = down ? -1 : 1
      keyed.sort((a, b) => {
        const [x, y] = [Number.isNaN(a.number), Number.isNaN(b.number)]
        return x && y
          ? sign * a.text.localeCompare(b.text)
          : x || y
            ? Number(x) - Number(y)
            : sign * (a.number - b.number)
      })
      list = keyed.map(({ one }) => one)
    }
    body.replaceChildren(
      ...list.slice(0, limit).map((one) => {
        if (one.row === undefined) {
          one.row = made('tr')
          one.row.append(...one.cells!.map((cell, k) => cellElement(cell, classes[k] ?? '')))
        }
        return one.row
      }),
    )
    const shown = Math.min(limit, list.length)
    count.textContent = `${shown === list.length ? '' : `${shown} of `}${list.length} row${list.length === 1 ? '' : 's'}`
    more.hidden = shown === list.length
    return list.length
  }
  for (const [k, th] of all<HTMLTableCellElement>('thead th', table).entries()) {
    const words = th.textContent!
    th.replaceChildren(
      button(words, () => {
        down = sort === k && !down
        sort = k
        for (const other of all('thead th', table)) other.removeAttribute('aria-sort')
        th.setAttribute('aria-sort', down ? 'descending' : 'ascending')
        render()
      }),
    )
  }
  const search = made('input', '', { type: 'search', placeholder: 'Search', 'aria-label': `Search in ${name}` })
  search.addEventListener('input', () => {
    query = search.value.trim().toLowerCase()
    limit = page
    render()
  })
  const csv = button(
    'CSV',
    () => {
      const head = all('thead th', table).map((th) => th.textContent!)
      save(`${id}.csv`, csvText([head, ...rowsNow().map(cellsOf)]), 'text/csv')
    },
    { 'aria-label': `${name} as CSV` },
  )
  const bar = made('div', '', { class: 'bar' })
  bar.append(search, csv, count)
  const place = table.parentElement!.classList.contains('scroll') ? table.parentElement! : table
  place.before(bar)
  place.after(more)
  more.hidden = data === null
  const total = drawn.length + Number(data?.dataset.count ?? 0)
  count.textContent = `${data === null ? '' : `${drawn.length} of `}${total} row${total === 1 ? '' : 's'}`
  return {
    name,
    show(asked) {
      query = asked
      search.value = asked
      limit = page
      return render()
    },
  }
}

/** A figure that stands alone: with its colours, and a name space. */
function enlivenFigure(svg: SVGSVGElement, k: number): void {
  const name = svg.getAttribute('aria-label') ?? `figure ${k + 1}`
  const asked = (): void => {
    const copy = svg.cloneNode(true) as SVGSVGElement
    const style = getComputedStyle(document.documentElement)
    const names = [
      'ink',
      'dim',
      'line',
      'leak',
      'weak',
      'none',
      'paper',
      'guess',
      'federation',
      'everybody',
      'client',
      'record',
    ]
    const colours = names.map((one) => `--${one}:${style.getPropertyValue(`--${one}`)}`).join(';')
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
    copy.setAttribute('style', `${colours};color:${style.getPropertyValue('--ink')};font-family:sans-serif`)
    const paint = made('style', 'text{fill:var(--ink)}.dim{fill:var(--dim)}')
    copy.prepend(document.createElementNS('http://www.w3.org/2000/svg', 'style'))
    copy.firstChild!.textContent = paint.textContent
    save(`${fileName(name)}.svg`, new XMLSerializer().serializeToString(copy), 'image/svg+xml')
  }
  const bar = made('div', '', { class: 'bar figure' })
  bar.append(button('SVG', asked, { 'aria-label': `${name} as SVG` }))
  svg.after(bar)
}

/** Opens whatever is folded around a place, and the place itself. */
function open(place: Element | null): void {
  for (let at = place; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true
  }
}

function followHash(): void {
  const { hash } = location
  if (hash.length < 2) return
  const place = document.getElementById(decodeURIComponent(hash.slice(1)))
  open(place)
  place?.scrollIntoView()
}

/** One search over all tables; those with hits are opened, and named with their numbers. */
function enlivenSearch(tables: readonly (Live & { readonly table: HTMLTableElement })[]): void {
  const form = document.getElementById('look-up')
  if (form === null) return
  const told = made('div', '', { role: 'status' })
  const input = made('input', '', { type: 'search', id: 'find', placeholder: 'a record, a client, an attack …' })
  let waiting = 0
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      const query = input.value.trim().toLowerCase()
      const hits = tables.map((one) => ({ ...one, found: one.show(query) }))
      told.replaceChildren()
      if (query === '') return
      const some = hits.filter(({ found }) => found > 0)
      if (some.length === 0) told.textContent = `Nothing here is called "${query}".`
      for (const { name, found, table } of some) {
        const link = made('a', `${name}: ${found}`, { href: `#${table.id}` })
        link.addEventListener('click', () => open(table))
        told.append(link, ' ')
      }
    }, 150)
  })
  form.append(made('label', 'Look up', { for: 'find' }), input, told)
}

function enlivenButtons(): void {
  const bar = document.getElementById('actions')
  if (bar === null) return
  const root = document.documentElement
  const dark = (): boolean =>
    root.dataset.theme === undefined
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : root.dataset.theme === 'dark'
  const folds = (opened: boolean): void => {
    for (const one of all<HTMLDetailsElement>('details')) one.open = opened
  }
  bar.append(
    button('Print the summary', () => {
      root.classList.add('summary-only')
      print()
      root.classList.remove('summary-only')
    }),
    button('Open all', () => folds(true)),
    button('Fold all', () => folds(false)),
    button('Light or dark', () => {
      root.dataset.theme = dark() ? 'light' : 'dark'
    }),
  )
}

enlivenButtons()
for (const [k, svg] of all<SVGSVGElement>('svg').entries()) enlivenFigure(svg, k)
for (const [k, table] of all<HTMLTableElement>('table:not(.data)').entries()) enlivenPlain(table, k)
enlivenSearch(all<HTMLTableElement>('table.data').map((table) => ({ ...enlivenTable(table), table })))
addEventListener('hashchange', followHash)
// A place that was left folded after a first visit is opened by a second click: its address does not change then.
addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('a[href^="#"]') : null
  if (link !== null) open(document.getElementById(link.getAttribute('href')!.slice(1)))
})
followHash()
document.documentElement.dataset.ready = String(performance.now())
