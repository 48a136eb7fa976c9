/** The part of the stylesheet for settings, folders, people and action items: tabs, cards, and forms in a column. */
export const SETTINGS_STYLE = `
.bar .parts { flex-wrap: wrap; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; margin: 0 0 20px; border-bottom: 1px solid var(--line); font-size: .9375rem; }
.tabs a { padding: 6px 12px; margin-bottom: -1px; border-bottom: 2px solid transparent; color: var(--ink); text-decoration: none; }
.tabs a:hover { border-color: var(--line); }
.tabs [aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.page h2 { margin: 32px 0 10px; font-size: 1.25rem; }
select, textarea {
  width: 100%; padding: 7px 12px; border: 1px solid var(--quiet); border-radius: 8px; background: var(--field); color: var(--ink); font: inherit;
}
textarea { resize: vertical; }
input[type="checkbox"], input[type="radio"] { width: auto; accent-color: var(--accent); }
label > :is(input:not([type="checkbox"], [type="radio"]), select, textarea) { display: block; margin-top: 4px; font-weight: 400; }
.cards { display: grid; gap: 12px; max-width: none; margin: 0 0 16px; padding: 0; list-style: none; }
.cards > li, .sheet, .ended { margin: 0; padding: 14px 18px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; min-width: 0; }
.cards h3 { margin: 0; font-size: 1.0625rem; font-weight: 600; }
.cards a:has(> h3) { color: var(--ink); }
.cards ul { margin: 6px 0; font-size: .9375rem; }
.ended .cards { margin: 12px 0 0; }
.facts { margin: 2px 0; max-width: none; font-size: .9375rem; color: var(--quiet); }
.soon, .broken { color: var(--bad); font-weight: 600; }
.works { color: var(--accent); font-weight: 600; }
.sheet { max-width: 46rem; }
.sheet > :first-child, .sheet > input[type="hidden"] + label { margin-top: 0; }
.hint { margin: 4px 0 0; font-size: .875rem; color: var(--quiet); }
fieldset { margin: 20px 0 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0 0 4px; font-weight: 600; }
.check { display: flex; gap: 10px; align-items: baseline; margin: 4px 0 0; font-weight: 400; }
.check span { min-width: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); font-size: .9375rem; }
.cards details { margin-top: 6px; }
.confirm > summary { color: var(--bad); }
.confirm p { margin: 8px 0 0; font-size: .9375rem; }
.confirm button { margin-top: 10px; }
button.bad { background: var(--bad); border-color: var(--bad); color: var(--card); }
.cards button, .inline button { padding: 5px 14px; }
.quotas table { width: auto; }
.quotas :is(th, td) { padding: 6px 20px 6px 0; font-size: .9375rem; color: var(--ink); min-width: 0; vertical-align: middle; }
.quotas th { font-weight: 600; }
.quotas tr:last-child th { border-bottom: 0; }
.sheet > p:first-of-type { margin-top: 0; }
meter { width: 10rem; max-width: 100%; }
.second { background: none; color: var(--accent); }
.inline { display: flex; flex-wrap: wrap; gap: 4px 12px; }
.address { max-width: none; overflow-wrap: anywhere; }
.notice { max-width: none; margin: 0 0 16px; padding: 12px 18px; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 10px; }
.notice.bad { border-left-color: var(--bad); }
.page > .confirm { margin-top: 16px; }
.secret { border-color: var(--accent); }
.secret code { font-weight: 600; }
`
