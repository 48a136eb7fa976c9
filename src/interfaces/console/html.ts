/** The templates that pages and their layout are written in. */
export { type Html, html, when } from '../web/html.ts'
