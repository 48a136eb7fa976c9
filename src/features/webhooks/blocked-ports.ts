/**
 * Ports of services that are not HTTP: they may take the lines of a request for commands of their own. These are ports that browsers block
 * (https://fetch.spec.whatwg.org/#port-blocking), and those of databases and remote desktops. 1 and 9 are left out, because programs use them as
 * ports where nothing listens.
 */
const OTHER_SERVICES = new Set([
  0, 7, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
  113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 3306, 3389, 3659,
  4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017
])

/** Returns whether the port of a URL is that of another service. */
export function isOtherService({ port }: Pick<URL, 'port'>) {
  return port !== '' && OTHER_SERVICES.has(Number(port))
}
