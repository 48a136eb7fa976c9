import type { IncomingMessage } from 'node:http'

/** The first parts of the server's own paths. A base path that begins with one is ambiguous, so a proxy has to remove it. */
const OWN = [
  'v1',
  'docs',
  'join',
  'shared',
  's',
  'sign-in',
  'sign-out',
  'assets',
  'search',
  'upload',
  'settings',
  'account-deleted',
  'action-items',
  'folders',
  'people',
  'mcp',
  'actions',
  'oauth',
  '.well-known'
]

/**
 * Returns the URL that a request means: without the base path, if the proxy in front has kept it, without the second slash of an address
 * that ends with one, and without a slash at the end of an API path.
 */
export function meantUrl(url: string, basePath: string) {
  const [path = ''] = url.split('?', 1)
  const query = url.slice(path.length)
  const below = withoutBase(path.replace(/^\/+/, '/'), basePath)
  return (isApiPath(below) ? below.replace(/\/$/, '') : below) + query
}

/**
 * Returns the method that a request means. Where a client of tus can't send PATCH, DELETE or HEAD, it sends POST with the method in a header, which
 * the protocol obliges servers to take. `url` is the meant one.
 */
export function meantMethod({ method = '', headers }: IncomingMessage, url: string) {
  const meant = headers['x-http-method-override']
  const isOverridden = method === 'POST' && typeof meant === 'string' && UPLOAD.test(url) && OVERRIDES.includes(meant)
  return isOverridden ? meant : method
}

const UPLOAD = /^(?:\/app)?\/v1\/uploads\/[^/?]+$/
const OVERRIDES = ['PATCH', 'DELETE', 'HEAD']

function withoutBase(path: string, basePath: string) {
  if (basePath === '' || OWN.includes(basePath.split('/')[1] ?? '')) return path
  if (path !== basePath && !path.startsWith(`${basePath}/`)) return path
  return path.slice(basePath.length).replace(/^\/*/, '/')
}

/** The page at `/v1/docs/` has relative links, which its slash keeps right. */
function isApiPath(path: string) {
  return path === '/mcp/' || (/^\/(?:app\/|actions\/)?v1\/./.test(path) && path !== '/v1/docs/')
}
