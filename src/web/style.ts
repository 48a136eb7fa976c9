import { versionOf } from './compressed-file.ts'
import { CONSOLE_STYLE } from './console-style.ts'
import { FIGURE_STYLE } from './figure-style.ts'
import { GUIDE_STYLE } from './guide-style.ts'
import { SESSION_STYLE } from './session-style.ts'
import { SETTINGS_STYLE } from './settings-style.ts'

/** The colours by day and by night, and the parts that every page has. */
const BASE = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #fff; --ink: #1a1d24; --quiet: #566072; --line: #dcdfe6; --field: #f4f5f8; --accent: #2f4fc4; --on-accent: #fff;
  --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141a; --card: #1b1e26; --ink: #eceef3; --quiet: #a2abbb; --line: #323743; --field: #12141a; --accent: #9db2ff;
    --on-accent: #12141a; --bad: #ff9d94;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%;
}
a { color: var(--accent); }
bdi { unicode-bidi: isolate; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 12px; z-index: 3; background: var(--card); padding: 4px 8px; }
header {
  position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 8px 20px;
  padding: 10px max(20px, (100vw - 76rem) / 2 + 20px); background: var(--card); border-bottom: 1px solid var(--line);
}
.name { margin-right: auto; font-weight: 650; color: var(--ink); text-decoration: none; }
input { width: 100%; padding: 7px 12px; border: 1px solid var(--quiet); border-radius: 8px; background: var(--field); color: var(--ink); font: inherit; }
input::placeholder { color: var(--quiet); opacity: 1; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
:not(pre) > code { padding: 1px 5px; border-radius: 5px; background: var(--card); border: 1px solid var(--line); overflow-wrap: anywhere; }
main { min-width: 0; padding-bottom: 60px; }
main h1 { margin: 0 0 16px; font-size: clamp(1.625rem, 5vw, 2.125rem); line-height: 1.2; letter-spacing: -.01em; text-wrap: balance; }
:is(h1, h2, h3, p, li, td) { overflow-wrap: anywhere; }
`

const PRINT = `
@media print { header, nav, button { display: none; } pre { white-space: pre-wrap; overflow-wrap: anywhere; } }
`

/** The one stylesheet of guides, messages and console. */
export const STYLE = BASE + GUIDE_STYLE + CONSOLE_STYLE + SESSION_STYLE + SETTINGS_STYLE + FIGURE_STYLE + PRINT

/** Its name changes with its content, so that browsers may keep it. */
export const STYLE_VERSION = versionOf(STYLE)
export const STYLE_FILE = `style.css?v=${STYLE_VERSION}`
