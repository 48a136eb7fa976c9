/** The Link header that leads to the next page of a list: the same request with another cursor. */
export function nextLink(publicUrl: string, url: string, cursor: string | number) {
  const [path, query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', String(cursor))
  return `<${publicUrl}${path}?${parameters}>; rel="next"`
}
