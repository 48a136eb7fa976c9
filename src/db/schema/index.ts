export * from './events.ts'
export * from './folders.ts'
export * from './sessions.ts'
export * from './users.ts'
