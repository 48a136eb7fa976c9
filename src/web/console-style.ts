/** The part of the stylesheet for the console, and for the messages that are one card in the middle. */
export const CONSOLE_STYLE = `
.bar { gap: 6px 20px; padding-inline: max(20px, (100vw - 64rem) / 2 + 20px); }
.bar .parts { display: flex; gap: 4px; order: 1; flex: 1 1 100%; margin: 0 -10px; font-size: .9375rem; }
.parts a { padding: 4px 10px; border-radius: 6px; color: var(--ink); text-decoration: none; }
.parts a:hover { background: var(--field); }
.parts [aria-current] { background: var(--field); color: var(--accent); font-weight: 600; }
.account { display: flex; margin-left: auto; align-items: center; gap: 16px; min-width: 0; font-size: .9375rem; }
.who { max-width: 11rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--quiet); }
.page { max-width: 64rem; margin: 0 auto; padding: 28px 20px 60px; }
.narrow {
  width: calc(100% - 32px); max-width: 36rem; margin: clamp(20px, 8vh, 80px) auto; padding: clamp(24px, 6vw, 44px);
  background: var(--card); border: 1px solid var(--line); border-radius: 16px;
}
.narrow h1 { font-size: clamp(1.5rem, 5vw, 1.875rem); line-height: 1.25; font-weight: 650; }
.narrow h2 { margin: 28px 0 8px; font-size: 1rem; line-height: 1.4; font-weight: 650; }
.narrow svg { display: block; width: 44px; height: 44px; margin-bottom: 20px; color: var(--accent); }
label { display: block; margin: 20px 0 6px; font-weight: 600; }
form { margin: 0; }
.problem { color: var(--bad); margin: 6px 0 0; }
button, .button {
  display: inline-block; margin-top: 16px; padding: 9px 18px; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent);
  color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { filter: brightness(1.08); }
.plain { margin: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
.quiet { font-size: .9375rem; color: var(--quiet); }
.end { margin-top: 28px; padding-top: 20px; border-top: 1px solid var(--line); }
.title { margin-top: 16px; padding-left: 14px; border-left: 3px solid var(--accent); font-size: 1.125rem; font-weight: 600; }
.have { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 4px 20px; }
.have li { display: flex; gap: 10px; }
.have li::before { content: "✓" / ""; color: var(--accent); font-weight: 700; width: 1em; }
.have .not { color: var(--quiet); }
.have .not::before { content: "–" / ""; color: var(--quiet); }
.rows { max-width: none; margin: 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.rows > li { margin: 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; }
.rows a { display: block; padding: 12px 18px; color: var(--ink); text-decoration: none; }
.rows a:hover { background: var(--field); border-radius: 12px; }
.rows strong { display: block; font-weight: 600; }
.rows span, .about { font-size: .875rem; color: var(--quiet); }
.about { margin: -8px 0 24px; max-width: none; }
.empty { padding: 28px 18px; background: var(--card); border: 1px dashed var(--line); border-radius: 12px; }
.more { margin-top: 16px; }
.prose { max-width: 46rem; }
.as-is { white-space: pre-wrap; }
.items { padding-left: 0; list-style: none; }
.items li { display: flex; gap: 10px; }
.items li::before { content: "☐"; color: var(--quiet); }
.items .done::before { content: "☑"; color: var(--accent); }
audio, video { display: block; width: 100%; max-width: 46rem; margin: 12px 0; }
@media (min-width: 60rem) {
  .bar { flex-wrap: nowrap; }
  .bar .parts { order: 0; flex: 1 0 auto; margin: 0; gap: 1px; }
  .bar .parts a { padding-inline: 7px; }
  .bar .name { margin: 0; }
  .account a, .account form { flex: none; }
  .who { min-width: 3rem; max-width: 18rem; }
}
`
