import { readFileSync } from 'node:fs'

// Loaded by `node --import` before a server: its Date, that of its threads too, is ahead by as many milliseconds as the file says. What counts
// the time of the process, timers and performance.now(), goes on as before; so it is when the clock of a machine is set.
const Real = Date
let ahead = 0

globalThis.Date = class extends Real {
  constructor(...parts: [] | [string]) {
    if (parts.length === 0) super(Real.now() + ahead)
    else super(...parts)
  }

  static override now() {
    return Real.now() + ahead
  }
} as DateConstructor

setInterval(() => {
  ahead = Number(readFileSync(process.env.CLOCK_AHEAD_FILE ?? '', 'utf8'))
}, 50).unref()
