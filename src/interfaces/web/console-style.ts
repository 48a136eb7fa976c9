/** The part of the stylesheet for the console, and for the messages that are one card in the middle. */
export const CONSOLE_STYLE = `
.page { max-width: var(--width); margin: 0 auto; padding: 28px 20px 60px; }
.narrow {
  width: calc(100% - 32px); max-width: 36rem; margin: clamp(20px, 8vh, 80px) auto; padding: clamp(24px, 6vw, 44px);
  background: var(--card); border: 1px solid var(--line); border-radius: 16px;
}
.narrow h1 { font-size: clamp(1.5rem, 5vw, 1.875rem); line-height: 1.25; font-weight: 650; }
.narrow h2 { margin: 28px 0 8px; font-size: 1rem; line-height: 1.4; font-weight: 650; }
.narrow svg { display: block; width: 44px; height: 44px; margin-bottom: 20px; color: var(--accent); }
button bdi, .button bdi { overflow-wrap: anywhere; }
.wide { display: block; text-align: center; }
.or { display: flex; align-items: center; gap: 16px; max-width: none; margin: 24px 0; color: var(--quiet); }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.end { margin-top: 28px; padding-top: 20px; border-top: 1px solid var(--line); }
.title { margin-top: 16px; padding-left: 14px; border-left: 3px solid var(--accent); font-size: 1.125rem; font-weight: 600; }
.have { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 4px 20px; }
.have li { display: flex; gap: 10px; }
.have li::before { content: "✓" / ""; color: var(--accent); font-weight: 700; width: 1em; }
.have .not { color: var(--quiet); }
.have .not::before { content: "–" / ""; color: var(--quiet); }
.rows { max-width: none; margin: 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: var(--round); }
.rows > li { margin: 0; border-top: 1px solid var(--line); }
.rows > li:first-child { border-top: 0; }
.rows a { display: block; padding: 12px 18px; color: var(--ink); text-decoration: none; }
.rows a:hover { background: var(--field); border-radius: var(--round); }
.rows strong { display: block; font-weight: 600; }
.rows span, .about { font-size: var(--fine); color: var(--quiet); }
.about { margin: -8px 0 24px; max-width: none; }
.empty { padding: 28px 18px; background: var(--card); border: 1px dashed var(--line); border-radius: var(--round); }
.more { margin-top: 16px; }
.prose { max-width: var(--line-width); }
.as-is { white-space: pre-wrap; }
.items { padding-left: 0; list-style: none; }
.items li { display: flex; gap: 10px; }
.items li::before { content: "☐"; color: var(--quiet); }
.items .done::before { content: "☑"; color: var(--accent); }
audio, video { display: block; width: 100%; max-width: var(--line-width); margin: 12px 0; }
`
