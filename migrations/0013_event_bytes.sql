ALTER TABLE "events" ADD COLUMN "end_bytes" bigint;--> statement-breakpoint
ALTER TABLE "user_counters" ADD COLUMN "event_bytes" bigint DEFAULT 0 NOT NULL;