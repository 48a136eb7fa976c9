import { CsvError, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { type Term, TermCreate } from '../../contract/term.ts'
import { describePaths, pathOf } from '../../contract/unknown-fields.ts'
import { invalid } from '../../platform/core/api-error.ts'

const COLUMNS = ['heard', 'meant'] as const
const EXPECTED = 'CSV with the columns heard and meant, in UTF-8'

/** Writes terms as CSV (RFC 4180), a row for each heard form. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsv(terms: readonly Term[]) {
  const rows = terms.flatMap(({ heard, meant }) => heard.map(form => ({ heard: marked(form), meant: marked(meant) })))
  return stringify(rows, { header: true, columns: [...COLUMNS], record_delimiter: 'windows', escape_formulas: true })
}

/** Puts an apostrophe before a text that would lose its own when it is read. */
function marked(text: string) {
  return /^'+[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
}

interface ReadTerms {
  terms: TermCreate[]
  /** The columns that are not taken, a sentence each. */
  warnings: string[]
}

/** Reads terms of a CSV file. Rows with the same meaning are one term. Throws invalid_request with the line of what is wrong. */
export function readCsv(bytes: Uint8Array): ReadTerms {
  const rows = parseRows(decode(bytes))
  const [header = [], ...others] = rows
  const names = header.map(name => name.trim().toLowerCase())
  const [heardAt, meantAt] = COLUMNS.map(name => names.indexOf(name))
  if (heardAt === undefined || meantAt === undefined || heardAt < 0 || meantAt < 0)
    throw invalid({ field: 'body', problem: 'the first line does not name the columns', expected: EXPECTED })
  const forms = new Map<string, Set<string>>()
  for (const [at, row] of others.entries()) {
    const { heard, meant } = readRow(row[heardAt], row[meantAt], at + 2)
    forms.set(meant, (forms.get(meant) ?? new Set()).add(heard))
  }
  const ignored = header.filter((_, at) => at !== heardAt && at !== meantAt).map(name => pathOf('', name))
  return {
    terms: [...forms].map(([meant, heard]) => ({ heard: [...heard], meant })),
    warnings: describePaths(new Set(ignored), 'terms have no such column', 'terms have none of them')
  }
}

function decode(bytes: Uint8Array) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid({ field: 'body', problem: 'it is not UTF-8', expected: EXPECTED })
  }
}

function parseRows(text: string): string[][] {
  try {
    const [first = ''] = text.split('\n', 1)
    // Spreadsheets of many countries write semicolons.
    const delimiter = first.includes(';') && !first.includes(',') ? ';' : ','
    return parse(text, { delimiter, relax_column_count: true, skip_empty_lines: true })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalid({ field: 'body', problem: `it is not CSV: ${error.message}`, expected: EXPECTED })
  }
}

/** Takes away the apostrophe that `toCsv` has put before what looks like a formula. */
function plain(cell = '') {
  return cell.replace(/^'(?='*[=+\-@\t\r＝＋－＠])/, '')
}

function readRow(heard: string | undefined, meant: string | undefined, line: number) {
  const read = TermCreate.safeParse({ heard: [plain(heard)], meant: plain(meant) })
  if (read.success) return { heard: read.data.heard[0] ?? '', meant: read.data.meant }
  const [issue] = read.error.issues
  const field = `${issue?.path[0] === 'meant' ? 'meant' : 'heard'} in row ${line}`
  throw invalid({ field, expected: issue?.message ?? EXPECTED })
}
