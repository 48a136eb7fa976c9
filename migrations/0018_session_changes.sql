CREATE TABLE "session_changes" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"position" bigint NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "session_changes_user_id_session_id_pk" PRIMARY KEY("user_id","session_id")
);
--> statement-breakpoint
ALTER TABLE "user_counters" ADD COLUMN "change_position" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "user_counters" ADD COLUMN "forgotten_position" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "session_changes" ADD CONSTRAINT "session_changes_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "session_changes_position" ON "session_changes" USING btree ("user_id","position");--> statement-breakpoint
CREATE INDEX "session_changes_deleted" ON "session_changes" USING btree ("user_id","deleted_at") WHERE deleted_at is not null;