import { readFileSync } from 'node:fs'

// Loaded by `node --import` before a server: its Date, that of its threads too, is ahead by as many milliseconds as the file says. What counts
// the time of the process, timers and performance.now(), goes on as before; so it is when the clock of a machine is set.
const Real = Date
const read = () => Number(readFileSync(process.env.CLOCK_AHEAD_FILE ?? '', 'utf8'))
let ahead = read()
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ahead })

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
  ahead = read()
}, 50).unref()
