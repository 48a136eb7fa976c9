/** The colours of every page for people, by day and by night. */
export const COLOURS = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f8; --card: #fff; --ink: #1a1d24; --quiet: #566072; --line: #dcdfe6; --field: #f4f5f8; --accent: #2f4fc4;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #12141a; --card: #1b1e26; --ink: #eceef3; --quiet: #a2abbb; --line: #323743; --field: #12141a; --accent: #9db2ff; }
}
`

/** The stylesheet of the pages of sharing: one card in the middle, on any width. */
export const STYLE = `${COLOURS}* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100svh; display: flex; flex-direction: column; align-items: center; justify-content: center;
  padding: 24px 16px; background: var(--ground); color: var(--ink);
  font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%;
}
main { width: 100%; max-width: 36rem; padding: clamp(24px, 6vw, 44px); background: var(--card); border: 1px solid var(--line); border-radius: 16px; }
a { color: var(--accent); }
footer { margin-top: 20px; font-size: .8125rem; color: var(--quiet); text-align: center; }
svg { display: block; width: 44px; height: 44px; margin-bottom: 20px; color: var(--accent); }
h1 { margin: 0; font-size: clamp(1.5rem, 5vw, 1.875rem); line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h1, p, li, code { overflow-wrap: anywhere; }
h2 { margin: 32px 0 8px; font-size: 1rem; line-height: 1.4; font-weight: 650; }
p { margin: 12px 0 0; }
bdi { unicode-bidi: isolate; }
.title { margin-top: 16px; padding-left: 14px; border-left: 3px solid var(--accent); font-size: 1.125rem; font-weight: 600; }
.parts { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 4px 20px; }
.parts li { display: flex; gap: 10px; }
.parts li::before { content: "✓" / ""; color: var(--accent); font-weight: 700; width: 1em; }
.parts .not { color: var(--quiet); }
.parts .not::before { content: "–" / ""; color: var(--quiet); }
ol, .ways { margin: 0; padding-left: 1.4em; }
ol li + li, .ways li + li { margin-top: 12px; }
ol + .quiet { margin-top: 28px; }
code {
  display: block; margin-top: 8px; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--field); color: var(--ink);
  font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; user-select: all; -webkit-user-select: all;
}
.quiet { font-size: .9375rem; color: var(--quiet); }
.end { margin-top: 28px; padding-top: 20px; border-top: 1px solid var(--line); }
`
