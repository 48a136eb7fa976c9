ALTER TABLE "session_people" ADD COLUMN "name_keys" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "state_before_deletion" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "verified_caller_id" text;