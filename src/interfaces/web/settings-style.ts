/** The part of the stylesheet for settings, folders, people and action items: tabs, cards, and forms in a column. */
export const SETTINGS_STYLE = `
.tabs { display: flex; flex-wrap: wrap; gap: 4px; margin: 0 0 20px; border-bottom: 1px solid var(--line); font-size: var(--small); }
.tabs a { padding: 6px 12px; margin-bottom: -1px; border-bottom: 2px solid transparent; color: var(--ink); text-decoration: none; }
.tabs a:hover { border-color: var(--line); }
.tabs [aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
label > :is(input:not([type="checkbox"]), select, textarea) { display: block; margin-top: 4px; }
.cards { display: grid; gap: 12px; max-width: none; margin: 0 0 16px; padding: 0; list-style: none; }
.cards > li, .sheet, .ended { margin: 0; padding: 14px 18px; background: var(--card); border: 1px solid var(--line); border-radius: var(--round); min-width: 0; }
.cards :is(h2, h3) { margin: 0; font-size: var(--subheading); font-weight: 600; }
.cards a:has(> h2) { color: var(--ink); }
.cards ul { margin: 6px 0; font-size: var(--small); }
.ended .cards { margin: 12px 0 0; }
.facts { margin: 2px 0; max-width: none; font-size: var(--small); color: var(--quiet); }
.soon, .broken { color: var(--bad); font-weight: 600; }
.works { color: var(--accent); font-weight: 600; }
.sheet { max-width: var(--line-width); }
.sheet > :first-child, .sheet > input[type="hidden"] + label { margin-top: 0; }
.hint { margin: 4px 0 0; font-size: var(--fine); color: var(--quiet); }
.check { margin: 4px 0 0; }
.check span { min-width: 0; overflow-wrap: anywhere; }
:is(.cards, .ended, .confirm) > summary, .cards summary { font-size: var(--small); font-weight: 400; }
.cards details { margin-top: 6px; }
.confirm > summary { color: var(--bad); font-size: var(--small); font-weight: 400; }
.confirm p { margin: 8px 0 0; font-size: var(--small); }
.confirm button { margin-top: 10px; }
.cards button, .inline button { padding: 5px 14px; }
.cards .tick { padding: 2px 0; }
.quotas table { width: auto; }
.quotas :is(th, td) { padding: 6px 20px 6px 0; font-size: var(--small); color: var(--ink); min-width: 0; vertical-align: middle; }
.quotas th { font-weight: 600; }
.quotas tr:last-child th { border-bottom: 0; }
.quotas td:last-child { padding-right: 0; }
.quotas td { overflow-wrap: normal; }
.sheet > p:first-of-type { margin-top: 0; }
meter { width: min(10rem, 25vw); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 16px; font-size: var(--fine); }
.chips a { max-width: 100%; padding: 3px 12px; border: 1px solid var(--line); border-radius: 99px; background: var(--card); color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.chips a:hover, .chips [aria-current], .chips .chosen { border-color: var(--accent); color: var(--accent); }
.facts :is(a, span) { overflow-wrap: anywhere; }
.find { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: end; margin: 0 0 20px; max-width: 30rem; }
.find label { flex: 1 1 12rem; margin: 0; }
.find button { margin: 0; padding-block: 7px; }
.cards .button { padding: 5px 14px; }
.second { background: none; color: var(--accent); }
.inline { display: flex; flex-wrap: wrap; gap: 4px 12px; }
.address { max-width: none; overflow-wrap: anywhere; }
.page > .confirm { margin-top: 16px; }
a.button.second { padding: 5px 14px; border: 1px solid var(--accent); }
.as-sent { max-height: 24rem; overflow: auto; }
.cards .as-sent { margin: 8px 0 0; }
.secret { border-color: var(--accent); }
.secret code { font-weight: 600; }
`
