CREATE TABLE "deletions" (
	"user_id" text NOT NULL,
	"session_id" text NOT NULL,
	"what" text NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "deletions_user_id_session_id_what_pk" PRIMARY KEY("user_id","session_id","what")
);
--> statement-breakpoint
CREATE INDEX "deletions_deleted_at" ON "deletions" USING btree ("deleted_at");