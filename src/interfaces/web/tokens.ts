/** The colours, sizes and measures that every part of the stylesheet is made of. A number of a voice is a colour of a person. */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --ground: #fff; --side: #f6f6f3; --chosen: #e7e7e4; --sunk: #f6f6f3; --card: #fff; --hover: #f1f1ed; --ink: #1a1b1f; --soft: #43464e; --quiet: #62656e; --line: #e5e5df; --edge: #85888f;
  --accent: #3b42c4; --on-accent: #fff; --tint: #eeeffb; --bad: #b3261e; --bad-tint: #fcefed; --warn: #8a5300; --good: #1d6b45;
  --mark: #ffe79a; --mark-ink: #1a1b1f; --veil: rgb(24 25 30 / .42); --shadow: 0 1px 2px rgb(24 25 30 / .06), 0 8px 28px rgb(24 25 30 / .12);
  --v1: #4a52d6; --v2: #b14e0c; --v3: #0b7568; --v4: #ad2f79; --v5: #6a690d; --v6: #17699f; --v7: #b83041; --v8: #5d6470;
  --hair: 1px solid var(--line); --xs: .75rem; --s: .8125rem; --m: .875rem; --r: .9375rem; --l: 1.125rem; --xl: 1.5rem; --xxl: 1.875rem;
  --rail: 15rem; --pad: 2rem; --target: 2rem; --reading: 46rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141519; --side: #101115; --chosen: #1f2024; --sunk: #1a1c21; --card: #1d1f25; --hover: #202228; --ink: #ededf0; --soft: #c9cbd2; --quiet: #9da1ac; --line: #2b2d35;
    --edge: #747884; --accent: #aab1ff; --on-accent: #14153a; --tint: #23264a; --bad: #ff9d92; --bad-tint: #3a1f1d; --warn: #f2bd6b; --good: #7fd3a5;
    --mark: #675308; --mark-ink: #fff; --veil: rgb(0 0 0 / .6); --shadow: 0 0 0 1px #34363f, 0 12px 32px rgb(0 0 0 / .5);
    --v1: #a4abff; --v2: #f4a463; --v3: #5fcbb9; --v4: #f292c4; --v5: #cdc55f; --v6: #7abff3; --v7: #ff9c9f; --v8: #adb4c0;
  }
}
@media (max-width: 56rem) { :root { --pad: 1rem; --target: 2.5rem; --rail: 0rem; --xl: 1.375rem; --r: 1rem; } }
${Array.from({ length: 8 }, (_, at) => `.v${at + 1} { --v: var(--v${at + 1}); }`).join('\n')}
`
