// Runs before the program, in JavaScript that any Node reads: an older one cannot read the program itself.
const { node } = process.versions
if (Number.parseInt(node, 10) < 24) {
  console.error(
    `Parlance runs on Node 24, this is ${node}: run npm ci without --ignore-scripts, which installs Node 24 too, or install it yourself`
  )
  process.exit(1)
}
