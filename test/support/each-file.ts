import { failUndescribed } from './described.ts'

failUndescribed()
