import Ajv from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Returns a function that compiles a validator for a schema of an OpenAPI document, each once. Its `errors` name the violations. */
export function validatorsOf(document: { components: object }) {
  const ajv = new Ajv.default({ strict: false, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema({ $id: 'doc', components: document.components })
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>()
  return (schema: object) => {
    const found =
      compiled.get(schema) ??
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')))
    compiled.set(schema, found)
    return found
  }
}
