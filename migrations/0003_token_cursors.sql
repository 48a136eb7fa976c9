CREATE TABLE "token_cursors" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"seq" bigint NOT NULL,
	CONSTRAINT "token_cursors_user_id_token_id_pk" PRIMARY KEY("user_id","token_id")
);
--> statement-breakpoint
ALTER TABLE "token_cursors" ADD CONSTRAINT "token_cursors_token_fk" FOREIGN KEY ("user_id","token_id") REFERENCES "public"."tokens"("user_id","token_id") ON DELETE cascade ON UPDATE no action;