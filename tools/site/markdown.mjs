// Markdown as this repository's documents use it, to HTML: headings, paragraphs, lists, tables, code, quotes, links, pictures.
// Everything that is no such mark is text: HTML in a document is shown, not run, but for comments, which are left out.

/** @param {string} text */
export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** What a heading is linked to by. @param {string} text */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[`*]/g, '')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** @typedef {(address: string) => string | null} Link where an address leads in what is written; null: nowhere there */

/** Marks inside of a line. @param {string} text @param {Link} link @returns {string} */
function inline(text, link) {
  const parts = text.split(/(`+)(.*?)\1/s)
  return parts
    .map((part, k) => {
      if (k % 3 === 1) return ''
      if (k % 3 === 2) return `<code>${escaped(part.replace(/^ (.*) $/s, '$1'))}</code>`
      return escaped(part)
        .replace(
          /!\[([^\]]*)\]\(([^)\s]+)\)/g,
          (_, words, to) => `<img src="${link(to) ?? ''}" alt="${words}" loading="lazy">`,
        )
        .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words, to) => {
          const at = link(to)
          return at === null ? words : `<a href="${at}">${words}</a>`
        })
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(/(^|[\s(])\*([^*\s][^*]*)\*(?=$|[\s.,;:)])/g, '$1<em>$2</em>')
    })
    .join('')
}

/** Cells of a line of a table. @param {string} line */
const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const item = /^(\s*)(?:[-*]|\d+\.)\s+/

/** @param {readonly string[]} lines @param {Link} link @returns {string} */
function listOf(lines, link) {
  const indent = item.exec(lines[0] ?? '')?.[1]?.length ?? 0
  const tag = /^\s*\d/.test(lines[0] ?? '') ? 'ol' : 'ul'
  /** @type {string[][]} */
  const items = []
  for (const line of lines) {
    const begun = item.exec(line)
    if (begun !== null && (begun[1]?.length ?? 0) <= indent) items.push([line.replace(item, '')])
    else items.at(-1)?.push(line)
  }
  const inner = items.map((own) => {
    const below = own.findIndex((line, k) => k > 0 && item.test(line))
    const [words, rest] = below < 0 ? [own, []] : [own.slice(0, below), own.slice(below)]
    return `<li>${inline(words.map((line) => line.trim()).join(' '), link)}${rest.length === 0 ? '' : listOf(rest, link)}</li>`
  })
  return `<${tag}>${inner.join('')}</${tag}>`
}

/** @param {readonly string[]} lines @param {Link} link @param {number} number which table of the document */
function tableOf(lines, link, number) {
  const [head = '', marks = '', ...rows] = lines
  const right = cellsOf(marks).map((mark) => mark.endsWith(':') && !mark.startsWith(':'))
  const row = (/** @type {string} */ line, /** @type {string} */ tag) =>
    `<tr>${cellsOf(line)
      .map((cell, k) => {
        const own = cell === '' ? 'td' : tag
        return `<${own}${right[k] ? ' class="number"' : ''}>${inline(cell, link)}</${own}>`
      })
      .join('')}</tr>`
  return `<div class="scroll" tabindex="0" role="region" aria-label="table ${number}"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((one) => row(one, 'td')).join('')}</tbody></table></div>`
}

/** The document as HTML, and what its first heading says. @param {string} text @param {Link} link */
export function markdown(text, link) {
  const lines = text.replace(/<!--[\s\S]*?-->/g, '').split('\n')
  /** @type {string[]} */
  const out = []
  /** @type {Map<string, number>} */
  const slugs = new Map()
  let title = ''
  let tables = 0
  let at = 0
  /** Lines from here on while they belong. @param {(line: string) => boolean} belongs */
  const take = (belongs) => {
    const from = at
    while (at < lines.length && belongs(lines[at] ?? '')) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const heading = /^(#{1,6}) (.*)$/.exec(line)
    const fence = /^\s*(```+)/.exec(line)
    if (line.trim() === '') at++
    else if (fence !== null) {
      at++
      const code = take((one) => !one.trim().startsWith(fence[1] ?? '```'))
      at++
      out.push(`<pre tabindex="0"><code>${escaped(code.join('\n'))}</code></pre>`)
    } else if (heading !== null) {
      at++
      const [depth, words] = [heading[1]?.length ?? 1, heading[2] ?? '']
      if (title === '') title = words.replace(/[`*]/g, '')
      const slug = slugOf(words)
      const before = slugs.get(slug) ?? 0
      slugs.set(slug, before + 1)
      out.push(
        `<h${depth} id="${escaped(before === 0 ? slug : `${slug}-${before}`)}">${inline(words, link)}</h${depth}>`,
      )
    } else if (/^ {4}\S/.test(line)) {
      const code = take((one) => /^ {4}/.test(one) || one.trim() === '')
      out.push(
        `<pre tabindex="0"><code>${escaped(
          code
            .map((one) => one.slice(4))
            .join('\n')
            .trimEnd(),
        )}</code></pre>`,
      )
    } else if (line.startsWith('>')) {
      out.push(`<blockquote>${markdown(take((one) => one.startsWith('>')).map((one) => one.replace(/^> ?/, '')).join('\n'), link).html}</blockquote>`) // biome-ignore format: one line
    } else if (line.includes('|') && /^[\s|:-]+$/.test(lines[at + 1] ?? 'x')) {
      tables++
      out.push(tableOf(take((one) => one.includes('|')), link, tables)) // biome-ignore format: one line
    } else if (item.test(line)) {
      out.push(listOf(take((one) => item.test(one) || /^\s+\S/.test(one)), link)) // biome-ignore format: one line
    } else if (/^(?:-{3,}|\*{3,})$/.test(line.trim())) {
      at++
      out.push('<hr>')
    } else {
      const words = take(
        (one) => one.trim() !== '' && !/^(?:#{1,6} |\s*```|>)/.test(one) && !(item.test(one) && one !== line),
      )
      out.push(`<p>${inline(words.join(' '), link)}</p>`)
    }
  }
  return { title, html: out.join('\n') }
}
