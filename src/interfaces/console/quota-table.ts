import { QUOTA_NAMES, type QuotaName, type UserQuotas } from '../../contract/quotas.ts'
import { type Html, html } from '../web/html.ts'
import { inWords } from './numbers.ts'

export const QUOTA_WORDS: Record<QuotaName, string> = {
  bytes_stored: 'Recordings and transcripts',
  sessions_per_day: 'Sessions created today (UTC)',
  folders: 'Folders',
  people: 'People'
}

/** Shows how much of each quota is used, and its limit. */
export function quotaTable(quotas: UserQuotas): Html {
  const rows = QUOTA_NAMES.map(name => {
    const { used, limit } = quotas[name]
    const words = name === 'bytes_stored' ? toBytes : inWords
    const share = limit === null ? '' : html`<meter min="0" max="${limit}" value="${used}">${words(used)}</meter>`
    return html`<tr><th scope="row">${QUOTA_WORDS[name]}</th><td>${words(used)}${limit === null ? ', without a limit' : ` of ${words(limit)}`}</td><td>${share}</td></tr>`
  })
  return html`<div class="quotas"><table><tbody>${rows}</tbody></table></div>`
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export function toBytes(bytes: number) {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toLocaleString('en-GB', { maximumFractionDigits: 1 })} ${UNITS[power]}`
}
